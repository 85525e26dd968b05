//! **Question.** What did one occurrence of a node influence in one run (forward), and what did it
//! depend on (backward)?
//!
//! **Source.** [change-effects] §2.3, Definition 12, by statement occurrence: what is reached from
//! an occurrence along the control and data dependences of the run.
//!
//! **Notation.** A vertex is one of [`DynamicVertex`]; each occurrence has one for what it observes,
//! and a call three more, as in [`crate::dependence`]: whether it happens, what the library does
//! behind it, whether it comes back. An edge leads from what was used to what used it.
//!
//! **Rules.** Each is written above its code in [`building`]: values come from the occurrence that
//! made them, through arguments and returned values; memory from whoever wrote the byte last;
//! control from the latest occurrence of a branch that decides it in the same activation, else from
//! the call.
//!
//! **Departures.** A call observes its arguments and its result, but not the memory that the callee
//! reads. So a copy of a structure is not in the forward slice of what was copied, as it is in the
//! static one, while what uses the copy is. A library function that calls back is one step: all that
//! it gives to the functions that it calls may come from all that they return. A value that a branch
//! left as it was does not depend on the branch, as Definition 12 has it; for
//! the static slice it does.
//!
//! **Soundness.** Each edge is a way of the static graph, so a line of a dynamic slice is one of the
//! static slice. One relation is walked in both directions: an occurrence is in the forward slice
//! of another exactly when that one is in its backward slice.
//!
//! **Cost.** Linear in the occurrences of the run; some sixty bytes for each.

mod building;
mod function_control;
mod line_occurrences;
mod ways;

pub use building::dynamic_dependence;
pub use line_occurrences::{LineId, LineOccurrence, LineOccurrences, line_occurrences};
pub use ways::{DynamicStop, reasons};

use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;
use knockon_interpreter::OccurrenceId;
use std::collections::VecDeque;

/// A vertex of the graph of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DynamicVertex(u32);

impl From<usize> for DynamicVertex {
    fn from(index: usize) -> DynamicVertex {
        DynamicVertex(index as u32)
    }
}

impl From<DynamicVertex> for usize {
    fn from(vertex: DynamicVertex) -> usize {
        vertex.0 as usize
    }
}

/// What a vertex stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynamicVertexKind {
    /// What an occurrence observes; for all but calls also its value.
    Node(OccurrenceId),
    /// That the call happened, and what it entered.
    Happens(OccurrenceId),
    /// What library code did behind the call, or the call itself to pass arguments in memory.
    Does(OccurrenceId),
    /// That the call came back.
    Returns(OccurrenceId),
    /// A part of the world outside as the call left it.
    World(OccurrenceId),
}

/// Vertices of a call besides its node.
const PER_CALL: u32 = 3;

/// The dependences of one run.
#[derive(Debug, Default)]
pub struct DynamicDependence {
    occurrences: u32,
    /// The occurrences of calls, ascending.
    calls: Vec<OccurrenceId>,
    /// For each vertex of a part of the world the call that wrote it.
    world: Vec<OccurrenceId>,
    /// For each vertex what it depends on and is known when it begins.
    prompt: Rows<DynamicVertex>,
    /// And what comes later, or belongs to a call.
    late: Rows<DynamicVertex>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

impl DynamicDependence {
    pub fn vertex_count(&self) -> usize {
        self.occurrences as usize + PER_CALL as usize * self.calls.len() + self.world.len()
    }

    pub fn kind(&self, vertex: DynamicVertex) -> DynamicVertexKind {
        let Some(beyond) = vertex.0.checked_sub(self.occurrences) else {
            return DynamicVertexKind::Node(OccurrenceId(vertex.0));
        };
        match self.calls.get((beyond / PER_CALL) as usize) {
            Some(call) => match beyond % PER_CALL {
                0 => DynamicVertexKind::Happens(*call),
                1 => DynamicVertexKind::Does(*call),
                _ => DynamicVertexKind::Returns(*call),
            },
            None => {
                let number = beyond as usize - PER_CALL as usize * self.calls.len();
                DynamicVertexKind::World(self.world[number])
            }
        }
    }

    fn node(&self, occurrence: OccurrenceId) -> DynamicVertex {
        DynamicVertex(occurrence.0)
    }

    fn of_call(&self, call: OccurrenceId, part: u32) -> Option<DynamicVertex> {
        let number = self.calls.binary_search(&call).ok()?;
        Some(DynamicVertex(
            self.occurrences + PER_CALL * number as u32 + part,
        ))
    }

    fn happens(&self, call: OccurrenceId) -> Option<DynamicVertex> {
        self.of_call(call, 0)
    }

    /// What the vertex depends on directly.
    pub fn sources(&self, vertex: DynamicVertex) -> impl Iterator<Item = DynamicVertex> + '_ {
        let late = self.late.of(vertex).iter();
        self.prompt.of(vertex).iter().chain(late).copied()
    }

    /// The vertices by which an occurrence affects others.
    pub fn giving(&self, occurrence: OccurrenceId) -> impl Iterator<Item = DynamicVertex> + '_ {
        [self.node(occurrence)]
            .into_iter()
            .chain(self.happens(occurrence))
    }
}

/// What one or more occurrences influenced, or depended on.
pub struct DynamicSlice<'a> {
    graph: &'a DynamicDependence,
    direction: Direction,
    reached: FixedBitSet,
    /// The vertex from which the walk came; itself where it began.
    before: Vec<DynamicVertex>,
}

/// All that the occurrences influenced, or with [`Direction::Backward`] depended on.
///
/// Walking breadth-first, the way that is kept to each vertex has the fewest steps.
pub fn dynamic_slice<'a>(
    graph: &'a DynamicDependence,
    criterion: &[OccurrenceId],
    direction: Direction,
) -> DynamicSlice<'a> {
    let count = graph.vertex_count();
    let mut slice = DynamicSlice {
        graph,
        direction,
        reached: FixedBitSet::with_capacity(count),
        before: (0..count).map(DynamicVertex::from).collect(),
    };
    let mut queue: VecDeque<DynamicVertex> = VecDeque::new();
    for occurrence in criterion {
        let starts = graph.giving(*occurrence);
        // What a call observes is its criterion; that it happens is part of it.
        let starts = starts.take(match direction {
            Direction::Forward => 2,
            Direction::Backward => 1,
        });
        for vertex in starts {
            if !slice.reached.put(vertex.into()) {
                queue.push_back(vertex);
            }
        }
    }
    let turned;
    let (prompt, late) = match direction {
        Direction::Backward => (&graph.prompt, &graph.late),
        Direction::Forward => {
            turned = (graph.prompt.reversed(), graph.late.reversed());
            (&turned.0, &turned.1)
        }
    };
    while let Some(vertex) = queue.pop_front() {
        for next in prompt.of(vertex).iter().chain(late.of(vertex)) {
            if !slice.reached.put((*next).into()) {
                slice.before[usize::from(*next)] = vertex;
                queue.push_back(*next);
            }
        }
    }
    slice
}

impl<'a> DynamicSlice<'a> {
    pub fn graph(&self) -> &'a DynamicDependence {
        self.graph
    }

    /// Forward: what the occurrence observes depends on the criterion. Backward: the criterion
    /// depends on what the occurrence observes, or on its happening.
    pub fn contains(&self, occurrence: OccurrenceId) -> bool {
        self.vertex(occurrence).is_some()
    }

    fn vertex(&self, occurrence: OccurrenceId) -> Option<DynamicVertex> {
        let vertices = self.graph.giving(occurrence);
        let mut counting = vertices.take(match self.direction {
            Direction::Forward => 1,
            Direction::Backward => 2,
        });
        counting.find(|vertex| self.reached.contains(usize::from(*vertex)))
    }

    /// The vertices between the criterion and the occurrence, what is depended on first; empty if
    /// it is not in the slice.
    pub fn way(&self, occurrence: OccurrenceId) -> Vec<DynamicVertex> {
        let Some(mut vertex) = self.vertex(occurrence) else {
            return Vec::new();
        };
        let mut way = vec![vertex];
        loop {
            let before = self.before[usize::from(vertex)];
            if before == vertex {
                break;
            }
            way.push(before);
            vertex = before;
        }
        if self.direction == Direction::Forward {
            way.reverse();
        }
        way
    }
}

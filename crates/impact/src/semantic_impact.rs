//! **Question.** Which nodes may observe something else, knowing what the change means?
//!
//! **Source.** SEM-DCIA, [sem-dcia] Fig. 3 with its highlighted parts. SUMMARYEQUIV is an output of a
//! function that is the same given the same; PREEQUIV follows where all that gives an input is.
//!
//! **Rules.** The walk of [`crate::dataflow_impact`], where ways from a source stop at what was shown
//! to be the same in each activation that gets the same: outputs (SUMMARYEQUIV), and, beyond the
//! paper, each node of a function whose versions were evaluated side by side.
//!
//! **Soundness.** That of [`crate::propagation`].

use crate::dataflow_impact::{DataflowImpact, SourceMap, impact_from};
use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{FunctionDependence, VertexKind};
use crate::propagation::{Propagation, SameVertices, Sameness};
use fixedbitset::FixedBitSet;
use knockon_change::{Change, FunctionPair, Side};
use knockon_program::{InstructionId, OutOfTime, TimeLimit};
use knockon_proof::same_values::SameValues;

/// What a change reaches, given what is the same.
pub fn semantic_impact<'a>(
    old: &'a ProgramDependence<'a>,
    new: &'a ProgramDependence<'a>,
    change: &'a Change,
    sameness: &'a Sameness,
    limit: TimeLimit<'a>,
) -> Result<DataflowImpact<'a>, OutOfTime> {
    let propagation = Propagation::in_both(old, new, change, Some(sameness), limit);
    impact_from(propagation, (old, new), change, SourceMap::Fine)
}

/// Adds what was shown of a pair of functions.
pub fn add_same_values(
    sameness: &mut Sameness,
    graphs: (&ProgramDependence, &ProgramDependence),
    pair: &FunctionPair,
    same: &SameValues,
) {
    for (side, whole) in [(Side::Old, graphs.0), (Side::New, graphs.1)] {
        let function = *pair.functions.of(side);
        if let Some(graph) = whole.graph(function) {
            // Whoever jumps leaves memory to someone who goes on.
            let leaves_memory = whole.may_come_back_elsewhere();
            let found = same_vertices(graph, pair, side, same, leaves_memory);
            sameness.of_mut(side).insert(function, found);
        }
    }
}

/// The vertices of a version that stand for what is the same.
fn same_vertices(
    graph: &FunctionDependence,
    pair: &FunctionPair,
    side: Side,
    same: &SameValues,
    leaves_memory: bool,
) -> SameVertices {
    let layout = graph.layout;
    let in_old = |id: InstructionId| match side {
        Side::Old => Some(id),
        Side::New => pair.partner_of_node(Side::New, id),
    };
    let of_call = |call: u32| in_old(graph.call_instructions[call as usize]);
    let is_same = |kind: VertexKind| match kind {
        VertexKind::Node(id) => in_old(id).is_some_and(|id| same.nodes.contains(&id)),
        VertexKind::Occurrence(call) => {
            of_call(call).is_some_and(|id| same.occurrences.contains(&id))
        }
        VertexKind::Result(call) => {
            of_call(call).is_some_and(|id| same.nodes.contains(&id) || same.given.contains(&id))
        }
        // What runs only if a source returns was not asked whether that is the same place.
        VertexKind::Returns(call) => of_call(call)
            .is_some_and(|id| same.given.contains(&id) && !pair.is_source(Side::Old, id)),
        VertexKind::Library(call) => of_call(call).is_some_and(|id| same.given.contains(&id)),
        VertexKind::ReturnValue => same.result,
        VertexKind::Leaves | VertexKind::Jumps => same.returning,
        VertexKind::Output(_) => same.state && (same.returning || !leaves_memory),
        _ => false,
    };
    let mut vertices = FixedBitSet::with_capacity(layout.vertex_count());
    for number in 0..layout.vertex_count() {
        if is_same(layout.kind(crate::dependence::Vertex::from(number))) {
            vertices.insert(number);
        }
    }
    let calls = (0..layout.calls)
        .filter(|call| of_call(*call).is_some_and(|id| same.given.contains(&id)))
        .map(|call| call as usize)
        .collect();
    SameVertices {
        vertices,
        calls,
        is_whole: same.whole,
    }
}

//! **Question.** Where does a dependence go from a vertex in one step, through all functions and
//! between two versions?
//!
//! **Source.** The two phases of Horwitz, Reps, Binkley (1990), as one walk with two states, so
//! that a way may begin again at a [`GlobalVertex`], and over one or two versions at once.
//!
//! **Rules.** A vertex is reached [`State::Free`] when the way to it may still leave its function
//! towards any caller, and [`State::Inside`] when it came in through a call and must not leave
//! otherwise than through that call, which summaries have done already. [`State::Source`] is free,
//! too, and began in the function or in what it calls: so it stops at what is the same in each
//! activation that gets the same ([`Sameness`]).
//!
//! - along an edge, the state stays;
//! - from what a call gives, over the callee's summary, to what the call gets: the state stays;
//! - from what a call gives to the callee's input: inside;
//! - from an output of a function, if not inside, to what each call of it gets: the state stays;
//! - to a global vertex, and from there to wherever it leads: free; from a source in a function that
//!   does the same as a whole, not at all;
//! - in two versions: from a node, a parameter or a call's result to its partner: the state stays.
//!
//! **Soundness.** Every way in which entering and leaving of calls match is walked. Free covers the
//! others, so a vertex is walked at most three times. A vertex that is the same given the same, and
//! is not, is in an activation that got something else: a way from that input leads to it, since
//! otherwise another activation, with this input as its partner's, would show it different.
//!
//! What is the same in itself may still lie at another place in the order of what is written. A node
//! that is a source, or whose occurrences a source decides, over however many branches, was not held
//! to the order of the others (see `knockon_change`): whoever reads what it writes relies on being
//! reached from it. So a way that begins at a source, or comes from a branch, and stops at a node,
//! goes on to what that writes and decides, in both versions; those who read it are shown to be the
//! same, or not, by themselves.
//!
//! Two walks follow these steps: [`crate::propagation`] from one set of starts, with the way to each
//! vertex, and [`crate::grouped_walk`] from many sets at once.

use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{FunctionDependence, GlobalVertex, Vertex, VertexKind};
use fixedbitset::FixedBitSet;
use knockon_change::{Change, Side, Sides};
use knockon_program::{FunctionId, OutOfTime, TimeLimit};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Inside,
    Source,
    Free,
}

/// What is the same in one activation of a function, given the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SameVertices {
    pub vertices: FixedBitSet,
    /// Calls, by number, that give their callees the same.
    pub calls: FixedBitSet,
    /// The function does the same as a whole: nobody outside of it notices anything.
    pub is_whole: bool,
}

/// By function: what is the same, where that was shown.
pub type Sameness = Sides<FxHashMap<FunctionId, SameVertices>>;

/// A vertex of a function of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub side: Side,
    pub function: FunctionId,
    pub vertex: Vertex,
}

/// Where a walk begins.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// What is different by itself.
    Source(Place),
    /// What is given from outside: nothing that is the same given the same stops it.
    Input(Place),
    Global(Side, GlobalVertex),
    /// What a node, which is the same by itself, leaves in memory.
    Written(Place),
    /// Some arguments of the call that is at this place.
    Arguments(Place, u32, &'a [u32]),
}

/// One step from a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    To(Place, State),
    /// Into what is called: the row of what the function enters, and the input.
    Gives(u32, u32),
    Global(GlobalVertex),
}

/// What is walked in.
#[derive(Clone, Copy)]
pub(crate) struct Walked<'a> {
    pub old: Option<&'a ProgramDependence<'a>>,
    pub new: &'a ProgramDependence<'a>,
    pub change: Option<&'a Change>,
    pub sameness: Option<&'a Sameness>,
}

impl<'a> Walked<'a> {
    pub fn whole(&self, side: Side) -> Option<&'a ProgramDependence<'a>> {
        match side {
            Side::Old => self.old,
            Side::New => Some(self.new),
        }
    }

    pub fn graph(&self, side: Side, function: FunctionId) -> Option<&'a FunctionDependence> {
        self.whole(side)?.graph(function)
    }

    /// A way in this state stops here.
    pub fn is_stopped(&self, place: Place, state: State) -> bool {
        state == State::Source
            && self
                .same_in(place)
                .is_some_and(|same| same.vertices.contains(usize::from(place.vertex)))
    }

    /// The nodes that a way goes on from which stops at this place: it came from a vertex, or begins
    /// here. What they write and decide is [`Walked::steps_beyond`].
    pub fn beyond_stop(&self, from: Option<Place>, place: Place) -> Vec<Place> {
        let is_control = |from: Place| {
            let graph = self.graph(from.side, from.function);
            graph.is_some_and(|graph| {
                matches!(graph.layout.kind(from.vertex), VertexKind::Control(_))
            })
        };
        if from.is_some_and(|from| !is_control(from)) {
            return Vec::new();
        }
        let node = |place: Place| {
            let graph = self.graph(place.side, place.function)?;
            let id = match graph.layout.kind(place.vertex) {
                VertexKind::Node(id) => id,
                VertexKind::Occurrence(call) => graph.call_instructions[call as usize],
                _ => return None,
            };
            let vertex = graph.layout.node(id);
            Some(Place { vertex, ..place })
        };
        let Some(own) = node(place) else {
            return Vec::new();
        };
        let graph = self.graph(place.side, place.function);
        let partner = graph.and_then(|graph| self.partner(own, graph));
        [Some(own), partner].into_iter().flatten().collect()
    }

    /// To what a node writes and decides.
    pub fn steps_beyond(&self, node: Place, state: State, mut take: impl FnMut(Step)) {
        self.written_steps(node, state, &mut take);
        let Some(graph) = self.graph(node.side, node.function) else {
            return;
        };
        let VertexKind::Node(id) = graph.layout.kind(node.vertex) else {
            return;
        };
        for vertex in graph.decided_by(id) {
            take(Step::To(Place { vertex, ..node }, state));
        }
    }

    /// To what a node leaves in memory: for this function and its callers, for what runs at any time,
    /// and for what runs at the end; and to what code that is not here calls, or throws, from it, which
    /// finds memory as it is at this place in the order.
    pub fn written_steps(&self, node: Place, state: State, mut take: impl FnMut(Step)) {
        let Some(graph) = self.graph(node.side, node.function) else {
            return;
        };
        let VertexKind::Node(id) = graph.layout.kind(node.vertex) else {
            return;
        };
        for vertex in graph.written_by(id) {
            take(Step::To(Place { vertex, ..node }, state));
        }
        let here = match graph.call_number(id) {
            Some(call) => graph.layout.library(call),
            None => node.vertex,
        };
        if self.is_unnoticed(node, state) {
            return;
        }
        for global in graph.leading_to_global(here) {
            match global {
                GlobalVertex::Anytime(_)
                | GlobalVertex::SeenAnytime(_)
                | GlobalVertex::AtEnd(_)
                | GlobalVertex::Outside
                | GlobalVertex::RunsHandlers
                | GlobalVertex::OtherProcess(_)
                | GlobalVertex::Started
                | GlobalVertex::Thrown => {
                    take(Step::Global(global));
                }
                GlobalVertex::Jump
                | GlobalVertex::Between(_)
                | GlobalVertex::HandedOver
                | GlobalVertex::ExitStatus
                | GlobalVertex::Handled
                | GlobalVertex::Ends => {}
            }
        }
    }

    /// Nobody outside of the function notices what begins in it.
    fn is_unnoticed(&self, place: Place, state: State) -> bool {
        state == State::Source && self.same_in(place).is_some_and(|same| same.is_whole)
    }

    /// All steps but those over summaries, which [`Walked::over_summary`] takes.
    pub fn steps(&self, place: Place, state: State, mut take: impl FnMut(Step)) {
        let Place {
            side,
            function,
            vertex,
        } = place;
        let Some(whole) = self.whole(side) else {
            return;
        };
        let Some(graph) = whole.graph(function) else {
            return;
        };
        for next in graph.edges.of(vertex) {
            let vertex = *next;
            take(Step::To(Place { vertex, ..place }, state));
        }
        for (row, input) in graph.gives.of(vertex) {
            take(Step::Gives(*row, *input));
        }
        if state != State::Inside
            && let Some(output) = graph.layout.as_output(vertex)
        {
            for caller in whole.callers.of(function) {
                let Some(outside) = whole.graph(*caller) else {
                    continue;
                };
                for row in outside.rows_of_callee(function) {
                    for vertex in outside.getting(row, output) {
                        let function = *caller;
                        let there = Place {
                            side,
                            function,
                            vertex,
                        };
                        take(Step::To(there, state));
                    }
                }
            }
        }
        let is_unnoticed = self.is_unnoticed(place, state);
        for global in (graph.leading_to_global(vertex)).filter(|_| !is_unnoticed) {
            take(Step::Global(global));
        }
        if let Some(partner) = self.partner(place, graph) {
            take(Step::To(partner, state));
        }
    }

    /// From some arguments of a call that is at this place.
    pub fn argument_steps(
        &self,
        call_node: Place,
        call: u32,
        positions: &[u32],
        mut take: impl FnMut(Step),
    ) {
        let Place { side, function, .. } = call_node;
        let Some(graph) = self.graph(side, function) else {
            return;
        };
        for (row, entered) in graph.entered.iter().enumerate() {
            if entered.call != call || entered.through_library {
                continue;
            }
            let Some(inside) = self.graph(side, entered.callee) else {
                continue;
            };
            for position in positions {
                let input = inside.layout.input_of_parameter(*position);
                take(Step::Gives(row as u32, input));
            }
        }
        let vertex = graph.layout.library(call);
        take(Step::To(
            Place {
                vertex,
                ..call_node
            },
            State::Source,
        ));
    }

    /// The call of this row gives its callee the same.
    pub fn gives_same(&self, from: Place, state: State, row: u32) -> bool {
        let same = match state {
            State::Source => self.same_in(from),
            State::Inside | State::Free => None,
        };
        let Some((same, graph)) = same.zip(self.graph(from.side, from.function)) else {
            return false;
        };
        same.calls
            .contains(graph.entered[row as usize].call as usize)
    }

    /// Where what is given comes in; `None` if the callee has no body.
    pub fn input(&self, from: Place, row: u32, input: u32) -> Option<Place> {
        let graph = self.graph(from.side, from.function)?;
        let callee = graph.entered[row as usize].callee;
        let inside = self.graph(from.side, callee)?;
        Some(Place {
            side: from.side,
            function: callee,
            vertex: inside.layout.input(input),
        })
    }

    /// From what is given to a callee, over its summary, to what is got back. Summaries cost the
    /// most: they are asked for only if something that is got back is missing.
    pub fn over_summary(
        &self,
        from: Place,
        row: u32,
        input: u32,
        limit: TimeLimit<'_>,
        is_missing: impl Fn(Place) -> bool,
        mut reach: impl FnMut(Place),
    ) -> Result<(), OutOfTime> {
        let Some(whole) = self.whole(from.side) else {
            return Ok(());
        };
        let Some(graph) = whole.graph(from.function) else {
            return Ok(());
        };
        let row = row as usize;
        let got = graph.gets.of(row).iter();
        let mut got = got.map(|(_, vertex)| Place {
            vertex: *vertex,
            ..from
        });
        if !got.any(is_missing) {
            return Ok(());
        }
        if let Some(summary) = whole.summary(graph.entered[row].callee, limit)? {
            for output in summary.of(input as usize) {
                for vertex in graph.getting(row, *output) {
                    reach(Place { vertex, ..from });
                }
            }
        }
        Ok(())
    }

    /// Where a global vertex leads.
    pub fn each_from_global(&self, side: Side, global: GlobalVertex, mut reach: impl FnMut(Place)) {
        let Some(whole) = self.whole(side) else {
            return;
        };
        for function in whole.functions_of_global(global) {
            let Some(graph) = whole.graph(function) else {
                continue;
            };
            for vertex in graph.reached_from_global(global) {
                reach(Place {
                    side,
                    function,
                    vertex,
                });
            }
        }
    }

    /// What is the same in a function, where that was shown.
    fn same_in(&self, place: Place) -> Option<&'a SameVertices> {
        self.sameness?.of(place.side).get(&place.function)
    }

    /// The same vertex in the other version.
    fn partner(&self, place: Place, graph: &FunctionDependence) -> Option<Place> {
        let change = self.change?;
        if self.whole(place.side)?.hubs.is_hub(place.function) {
            return None;
        }
        let pair = change.pair(place.side, place.function)?;
        let side = place.side.other();
        let function = *pair.functions.of(side);
        let there = self.graph(side, function)?;
        let of_call = |call: u32| {
            let id = *graph.call_instructions.get(call as usize)?;
            let partner = pair.partner_of_node(place.side, id)?;
            there.call_number(partner)
        };
        let vertex = match graph.layout.kind(place.vertex) {
            VertexKind::Node(id) => there.layout.node(pair.partner_of_node(place.side, id)?),
            VertexKind::Result(call) => there.layout.result(of_call(call)?),
            VertexKind::Returns(call) => there.layout.returns(of_call(call)?),
            VertexKind::Occurrence(call) => there.layout.occurrence(of_call(call)?),
            VertexKind::Parameter(number) => {
                let partner = pair.partner_of_parameter(place.side, number)?;
                there.layout.parameter(partner)
            }
            VertexKind::Entered => there.layout.entered(),
            VertexKind::ReturnValue => there.layout.return_value(),
            VertexKind::Leaves => there.layout.leaves(),
            VertexKind::Jumps => there.layout.jumps(),
            _ => return None,
        };
        Some(Place {
            side,
            function,
            vertex,
        })
    }
}

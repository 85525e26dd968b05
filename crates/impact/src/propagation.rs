//! **Question.** Given some vertices: which others depend on them, through all functions, and by
//! which way?
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
//! **Cost.** Linear in the edges of the functions that are reached, and their summaries. Walking
//! breadth-first, the way that is kept to each vertex has the fewest steps.

use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{EnteredRow, FunctionDependence, GlobalVertex, Vertex, VertexKind};
use fixedbitset::FixedBitSet;
use knockon_change::{Change, Side, Sides};
use knockon_program::{FunctionId, InstructionId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Inside,
    Source,
    Free,
}

/// The states in which a vertex was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct States(u8);

impl States {
    fn bit(state: State) -> u8 {
        1 << state as u8
    }

    /// Nothing new comes from another state.
    fn covers(self, state: State) -> bool {
        self.0 & (States::bit(state) | States::bit(State::Free)) != 0
    }

    fn with(self, state: State) -> States {
        States(self.0 | States::bit(state))
    }

    fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// What is the same in one activation of a function, given the same.
#[derive(Clone, Debug, Default)]
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

/// From where a vertex was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The walk begins here.
    Start,
    From(Place),
    Global(Side, GlobalVertex),
}

/// What is known of one vertex.
#[derive(Clone, Copy)]
struct Mark {
    states: States,
    score: f32,
    origin: Origin,
}

const UNREACHED: Mark = Mark {
    states: States(0),
    score: 0.0,
    origin: Origin::Start,
};

/// One version's part of a walk.
struct WalkedSide<'a> {
    whole: &'a ProgramDependence<'a>,
    /// By function, then by vertex; empty where nothing was reached.
    marks: Vec<Vec<Mark>>,
    globals: FxHashMap<GlobalVertex, Origin>,
}

impl<'a> WalkedSide<'a> {
    fn new(whole: &'a ProgramDependence<'a>) -> WalkedSide<'a> {
        WalkedSide {
            whole,
            marks: vec![Vec::new(); whole.hubs.node_count()],
            globals: FxHashMap::default(),
        }
    }

    fn mark(&self, place: Place) -> Mark {
        let marks = &self.marks[place.function.index()];
        marks
            .get(usize::from(place.vertex))
            .copied()
            .unwrap_or(UNREACHED)
    }
}

const THROUGH_GLOBAL: f32 = 0.5;
const LEAST_SCORE: f32 = 0.001;

/// The part of a change that goes on over a step, as [change-effects] §8.2 estimates it: that the
/// step is taken at all, that both ends are the same memory, and that information flows, less over
/// control than over data. The product along the shortest way is the score.
fn weight(to: VertexKind) -> f32 {
    match to {
        VertexKind::Control(_) => 0.6,
        VertexKind::Join(_) => 0.8,
        VertexKind::Definition(_) | VertexKind::Library(_) => 0.9,
        VertexKind::Node(_) => 0.97,
        _ => 1.0,
    }
}

/// What was reached, and how.
pub struct Propagation<'a> {
    old: Option<WalkedSide<'a>>,
    new: WalkedSide<'a>,
    change: Option<&'a Change>,
    sameness: Option<&'a Sameness>,
    queue: VecDeque<(Place, State)>,
    /// What is given to callees and waits for its way over their summaries.
    given: VecDeque<Given>,
}

/// A vertex gives an input to a callee: the row of what its function enters.
#[derive(Clone, Copy)]
struct Given {
    from: Place,
    row: u32,
    input: u32,
    state: State,
}

impl<'a> Propagation<'a> {
    /// In one version, which is called the new one.
    pub fn in_one(whole: &'a ProgramDependence<'a>) -> Propagation<'a> {
        Propagation {
            old: None,
            new: WalkedSide::new(whole),
            change: None,
            sameness: None,
            queue: VecDeque::new(),
            given: VecDeque::new(),
        }
    }

    /// In two versions with the pairs of a change.
    pub fn in_both(
        old: &'a ProgramDependence<'a>,
        new: &'a ProgramDependence<'a>,
        change: &'a Change,
    ) -> Propagation<'a> {
        Propagation {
            old: Some(WalkedSide::new(old)),
            new: WalkedSide::new(new),
            change: Some(change),
            sameness: None,
            queue: VecDeque::new(),
            given: VecDeque::new(),
        }
    }

    /// Ways from a source stop at what is the same, given the same.
    pub fn with_sameness(mut self, sameness: &'a Sameness) -> Propagation<'a> {
        self.sameness = Some(sameness);
        self
    }

    fn side(&self, side: Side) -> Option<&WalkedSide<'a>> {
        match side {
            Side::Old => self.old.as_ref(),
            Side::New => Some(&self.new),
        }
    }

    fn side_mut(&mut self, side: Side) -> Option<&mut WalkedSide<'a>> {
        match side {
            Side::Old => self.old.as_mut(),
            Side::New => Some(&mut self.new),
        }
    }

    pub fn graph(&self, side: Side, function: FunctionId) -> Option<&'a FunctionDependence> {
        self.side(side)?.whole.graph(function)
    }

    /// The walk begins here, too.
    pub fn start(&mut self, place: Place) {
        self.reach(place, State::Source, Origin::Start);
    }

    /// The walk begins at an input: nothing that is the same given the same stops it.
    pub fn start_input(&mut self, place: Place) {
        self.reach(place, State::Free, Origin::Start);
    }

    pub fn start_global(&mut self, side: Side, global: GlobalVertex) {
        self.reach_global(side, global, Origin::Start);
    }

    /// The walk begins at some arguments of a call that is at this place.
    pub fn start_arguments(&mut self, call_node: Place, call: u32, positions: &[u32]) {
        let Place { side, function, .. } = call_node;
        let Some(graph) = self.graph(side, function) else {
            return;
        };
        let origin = Origin::From(call_node);
        let rows: Vec<usize> = (0..graph.entered.len())
            .filter(|row| graph.entered[*row].call == call)
            .collect();
        for row in rows {
            let entered = graph.entered[row];
            let Some(inside) = self.graph(side, entered.callee) else {
                continue;
            };
            if entered.through_library {
                continue;
            }
            for position in positions {
                let input = inside.layout.input_of_parameter(*position);
                self.give(call_node, graph, row, input, State::Source);
            }
        }
        let library = Place {
            vertex: graph.layout.library(call),
            ..call_node
        };
        self.reach(library, State::Source, origin);
    }

    /// How the vertex was reached; `None` if it was not.
    pub fn origin(&self, place: Place) -> Option<Origin> {
        let mark = self.side(place.side)?.mark(place);
        (!mark.states.is_none()).then_some(mark.origin)
    }

    /// How likely the change comes here; 0 if it does not. See [`weight`].
    pub fn score(&self, place: Place) -> f32 {
        let side = self.side(place.side);
        side.map_or(0.0, |side| side.mark(place).score)
    }

    pub fn origin_of_global(&self, side: Side, global: GlobalVertex) -> Option<Origin> {
        self.side(side)?.globals.get(&global).copied()
    }

    pub fn is_reached(&self, place: Place) -> bool {
        self.origin(place).is_some()
    }

    /// The instruction's node was reached.
    pub fn is_node_reached(&self, side: Side, function: FunctionId, id: InstructionId) -> bool {
        let vertex = Vertex(id.0);
        self.is_reached(Place {
            side,
            function,
            vertex,
        })
    }

    /// Something of the function was reached.
    pub fn is_function_reached(&self, side: Side, function: FunctionId) -> bool {
        let side = self.side(side);
        side.is_some_and(|side| !side.marks[function.index()].is_empty())
    }

    fn reach(&mut self, place: Place, state: State, origin: Origin) {
        if self.states(place).covers(state) || state == State::Source && self.is_same(place) {
            return;
        }
        let before = match origin {
            Origin::Start => 1.0,
            Origin::From(from) => self.score(from),
            Origin::Global(side, global) => {
                let from = self.origin_of_global(side, global);
                match from {
                    Some(Origin::From(from)) => self.score(from) * THROUGH_GLOBAL,
                    _ => THROUGH_GLOBAL,
                }
            }
        };
        let Some(side) = self.side_mut(place.side) else {
            return;
        };
        let Some(graph) = side.whole.graph(place.function) else {
            return;
        };
        let marks = &mut side.marks[place.function.index()];
        if marks.is_empty() {
            marks.resize(graph.layout.vertex_count(), UNREACHED);
        }
        let mark = &mut marks[usize::from(place.vertex)];
        if mark.states.is_none() {
            mark.origin = origin;
            let is_partner = matches!(origin, Origin::From(from) if from.side != place.side);
            let weight = match is_partner || origin == Origin::Start {
                true => 1.0,
                false => weight(graph.layout.kind(place.vertex)),
            };
            // A score is above 0, however far away.
            mark.score = (before * weight).max(LEAST_SCORE);
        }
        mark.states = mark.states.with(state);
        self.queue.push_back((place, state));
    }

    fn reach_global(&mut self, side: Side, global: GlobalVertex, origin: Origin) {
        let Some(walked) = self.side_mut(side) else {
            return;
        };
        if walked.globals.contains_key(&global) {
            return;
        }
        walked.globals.insert(global, origin);
        let whole = walked.whole;
        for function in whole.functions_of_global(global) {
            let Some(graph) = whole.graph(function) else {
                continue;
            };
            for vertex in graph.reached_from_global(global) {
                let place = Place {
                    side,
                    function,
                    vertex,
                };
                self.reach(place, State::Free, Origin::Global(side, global));
            }
        }
    }

    /// Until nothing is new.
    pub fn run(&mut self) {
        loop {
            while let Some((place, state)) = self.queue.pop_front() {
                // A better state may have come meanwhile, and is in the queue by itself.
                self.step(place, state);
            }
            // Summaries cost the most, and where all is reached already they are not needed: so
            // they come last.
            let Some(given) = self.given.pop_front() else {
                break;
            };
            self.pass_over(given);
        }
    }

    fn step(&mut self, place: Place, state: State) {
        let Place {
            side,
            function,
            vertex,
        } = place;
        let Some(whole) = self.side(side).map(|side| side.whole) else {
            return;
        };
        let Some(graph) = whole.graph(function) else {
            return;
        };
        let origin = Origin::From(place);
        let here = |vertex: Vertex| Place {
            side,
            function,
            vertex,
        };
        for next in graph.edges.of(vertex) {
            self.reach(here(*next), state, origin);
        }
        for (row, input) in graph.gives.of(vertex) {
            self.give(place, graph, *row as usize, *input, state);
        }
        if state != State::Inside
            && let Some(output) = graph.layout.as_output(vertex)
        {
            for caller in whole.callers.of(function) {
                let Some(outside) = whole.graph(*caller) else {
                    continue;
                };
                for row in outside.rows_of_callee(function) {
                    for next in outside.getting(row, output) {
                        let there = Place {
                            side,
                            function: *caller,
                            vertex: next,
                        };
                        self.reach(there, state, origin);
                    }
                }
            }
        }
        let is_unnoticed = state == State::Source
            && self
                .same_in(side, function)
                .is_some_and(|same| same.is_whole);
        for global in (graph.leading_to_global(vertex)).filter(|_| !is_unnoticed) {
            self.reach_global(side, global, origin);
        }
        if let Some(partner) = self.partner(place, graph) {
            self.reach(partner, state, origin);
        }
    }

    /// From what is given to a callee into it, and later to what is got back.
    fn give(
        &mut self,
        from: Place,
        graph: &FunctionDependence,
        row: usize,
        input: u32,
        state: State,
    ) {
        let EnteredRow { callee, call, .. } = graph.entered[row];
        if state == State::Source
            && let Some(same) = self.same_in(from.side, from.function)
            && same.calls.contains(call as usize)
        {
            return;
        }
        self.given.push_back(Given {
            from,
            row: row as u32,
            input,
            state,
        });
        if let Some(inside) = self.graph(from.side, callee) {
            let there = Place {
                side: from.side,
                function: callee,
                vertex: inside.layout.input(input),
            };
            self.reach(there, State::Inside, Origin::From(from));
        }
    }

    /// From what is given to a callee, over its summary, to what is got back.
    fn pass_over(&mut self, given: Given) {
        let Given { from, state, .. } = given;
        let Some(whole) = self.side(from.side).map(|side| side.whole) else {
            return;
        };
        let Some(graph) = whole.graph(from.function) else {
            return;
        };
        let row = given.row as usize;
        let is_missing = |vertex: Vertex| !self.states(Place { vertex, ..from }).covers(state);
        if !graph.gets.of(row).iter().any(|get| is_missing(get.1)) {
            return;
        }
        if let Some(summary) = whole.summary(graph.entered[row].callee) {
            for output in summary.of(given.input as usize) {
                for vertex in graph.getting(row, *output) {
                    self.reach(Place { vertex, ..from }, state, Origin::From(from));
                }
            }
        }
    }

    fn states(&self, place: Place) -> States {
        let side = self.side(place.side);
        side.map_or(States::default(), |side| side.mark(place).states)
    }

    /// What is the same in a function, where that was shown.
    fn same_in(&self, side: Side, function: FunctionId) -> Option<&'a SameVertices> {
        self.sameness?.of(side).get(&function)
    }

    fn is_same(&self, place: Place) -> bool {
        let same = self.same_in(place.side, place.function);
        same.is_some_and(|same| same.vertices.contains(usize::from(place.vertex)))
    }

    /// The same vertex in the other version.
    fn partner(&self, place: Place, graph: &FunctionDependence) -> Option<Place> {
        let change = self.change?;
        if self.side(place.side)?.whole.hubs.is_hub(place.function) {
            return None;
        }
        let pair = change.pair(place.side, place.function)?;
        let side = place.side.other();
        let function = *pair.functions.of(side);
        let there = self.side(side)?.whole.graph(function)?;
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

//! **Question.** Given some vertices: which others depend on them, through all functions, and by
//! which way?
//!
//! **Rules, Soundness.** Those of [`crate::steps`].
//!
//! **Cost.** Linear in the edges of the functions that are reached, and their summaries. Walking
//! breadth-first, the way that is kept to each vertex has the fewest steps.

use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{FunctionDependence, GlobalVertex, Vertex, VertexKind};
use crate::steps::{Step, Walked};
use knockon_change::{Change, Side};
use knockon_program::{FunctionId, InstructionId, OutOfTime, TimeLimit};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

pub use crate::steps::{Place, SameVertices, Sameness, Start, State};

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

/// From where a vertex was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The walk begins here.
    Start,
    /// The walk begins with what this node writes, which is the same by itself.
    Written(Place),
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
struct WalkedSide {
    /// By function, then by vertex; empty where nothing was reached.
    marks: Vec<Vec<Mark>>,
    globals: FxHashMap<GlobalVertex, Origin>,
}

impl WalkedSide {
    fn new(whole: &ProgramDependence<'_>) -> WalkedSide {
        WalkedSide {
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

/// How many vertices are walked from between two looks at the clock.
pub(crate) const STEPS_BETWEEN_LOOKS: usize = 64;

const THROUGH_GLOBAL: f32 = 0.5;
const LEAST_SCORE: f32 = 0.001;

/// The part of a change that goes on over a step, as [change-effects] §8.2 estimates it: that the
/// step is taken at all, that both ends are the same memory, and that information flows, less over
/// control than over data. The product along the shortest way is the score.
fn weight(to: VertexKind) -> f32 {
    match to {
        VertexKind::Control(_) | VertexKind::Leaves => 0.6,
        VertexKind::Join(_) => 0.8,
        VertexKind::Definition(_) | VertexKind::Library(_) => 0.9,
        VertexKind::Node(_) => 0.97,
        _ => 1.0,
    }
}

/// What was reached, and how.
pub struct Propagation<'a> {
    walked: Walked<'a>,
    old: Option<WalkedSide>,
    new: WalkedSide,
    queue: VecDeque<(Place, State)>,
    /// What is given to callees and waits for its way over their summaries.
    given: VecDeque<Given>,
    limit: TimeLimit<'a>,
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
    fn new(walked: Walked<'a>, limit: TimeLimit<'a>) -> Propagation<'a> {
        Propagation {
            walked,
            old: walked.old.map(WalkedSide::new),
            new: WalkedSide::new(walked.new),
            queue: VecDeque::new(),
            given: VecDeque::new(),
            limit,
        }
    }

    /// In one version, which is called the new one.
    pub fn in_one(whole: &'a ProgramDependence<'a>, limit: TimeLimit<'a>) -> Propagation<'a> {
        let walked = Walked {
            old: None,
            new: whole,
            change: None,
            sameness: None,
        };
        Propagation::new(walked, limit)
    }

    /// In two versions with the pairs of a change. Ways from a source stop at what is the same, given
    /// the same.
    pub fn in_both(
        old: &'a ProgramDependence<'a>,
        new: &'a ProgramDependence<'a>,
        change: &'a Change,
        sameness: Option<&'a Sameness>,
        limit: TimeLimit<'a>,
    ) -> Propagation<'a> {
        let walked = Walked {
            old: Some(old),
            new,
            change: Some(change),
            sameness,
        };
        Propagation::new(walked, limit)
    }

    fn side(&self, side: Side) -> Option<&WalkedSide> {
        match side {
            Side::Old => self.old.as_ref(),
            Side::New => Some(&self.new),
        }
    }

    fn side_mut(&mut self, side: Side) -> Option<&mut WalkedSide> {
        match side {
            Side::Old => self.old.as_mut(),
            Side::New => Some(&mut self.new),
        }
    }

    pub fn graph(&self, side: Side, function: FunctionId) -> Option<&'a FunctionDependence> {
        self.walked.graph(side, function)
    }

    /// The walk begins here, too.
    pub fn start(&mut self, start: Start<'_>) {
        match start {
            Start::Source(place) => self.reach(place, State::Source, Origin::Start),
            Start::Input(place) => self.reach(place, State::Free, Origin::Start),
            Start::Global(side, global) => self.reach_global(side, global, Origin::Start),
            Start::Written(writer) => {
                let walked = self.walked;
                let origin = Origin::Written(writer);
                walked.written_steps(writer, State::Source, |step| {
                    self.take_beyond(writer, origin, step);
                });
            }
            Start::Arguments(node, call, positions) => {
                let walked = self.walked;
                walked.argument_steps(node, call, positions, |step| {
                    self.take(node, State::Source, step);
                });
            }
        }
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
        if self.states(place).covers(state) {
            return;
        }
        if self.walked.is_stopped(place, state) {
            let from = match origin {
                Origin::Start => None,
                Origin::From(from) => Some(from),
                Origin::Written(_) | Origin::Global(..) => return,
            };
            let walked = self.walked;
            for node in walked.beyond_stop(from, place) {
                let origin = from.map_or(Origin::Written(node), |_| origin);
                walked.steps_beyond(node, state, |step| self.take_beyond(node, origin, step));
            }
            return;
        }
        let before = match origin {
            Origin::Start | Origin::Written(_) => 1.0,
            Origin::From(from) => self.score(from),
            Origin::Global(side, global) => {
                let from = self.origin_of_global(side, global);
                match from {
                    Some(Origin::From(from)) => self.score(from) * THROUGH_GLOBAL,
                    _ => THROUGH_GLOBAL,
                }
            }
        };
        let Some(graph) = self.graph(place.side, place.function) else {
            return;
        };
        let Some(side) = self.side_mut(place.side) else {
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

    /// On from a node that is not reached itself.
    fn take_beyond(&mut self, node: Place, origin: Origin, step: Step) {
        match step {
            Step::To(there, state) => self.reach(there, state, origin),
            Step::Global(global) => self.reach_global(node.side, global, origin),
            Step::Gives(..) => {}
        }
    }

    fn reach_global(&mut self, side: Side, global: GlobalVertex, origin: Origin) {
        let Some(there) = self.side_mut(side) else {
            return;
        };
        if there.globals.contains_key(&global) {
            return;
        }
        there.globals.insert(global, origin);
        let walked = self.walked;
        walked.each_from_global(side, global, |place| {
            self.reach(place, State::Free, Origin::Global(side, global));
        });
    }

    /// Until nothing is new. A walk that is given up has not reached everything: nothing follows from
    /// what it did not reach.
    pub fn run(&mut self) -> Result<(), OutOfTime> {
        let walked = self.walked;
        let mut taken: usize = 0;
        loop {
            while let Some((place, state)) = self.queue.pop_front() {
                taken += 1;
                if taken.is_multiple_of(STEPS_BETWEEN_LOOKS) {
                    self.limit.check()?;
                }
                // A better state may have come meanwhile, and is in the queue by itself.
                walked.steps(place, state, |step| self.take(place, state, step));
            }
            // Where all is reached already, summaries are not needed: so they come last.
            let Some(given) = self.given.pop_front() else {
                return Ok(());
            };
            self.pass_over(given)?;
        }
    }

    fn take(&mut self, from: Place, state: State, step: Step) {
        let origin = Origin::From(from);
        match step {
            Step::To(there, state) => self.reach(there, state, origin),
            Step::Global(global) => self.reach_global(from.side, global, origin),
            Step::Gives(row, input) => {
                if self.walked.gives_same(from, state, row) {
                    return;
                }
                self.given.push_back(Given {
                    from,
                    row,
                    input,
                    state,
                });
                if let Some(there) = self.walked.input(from, row, input) {
                    self.reach(there, State::Inside, origin);
                }
            }
        }
    }

    fn pass_over(&mut self, given: Given) -> Result<(), OutOfTime> {
        self.limit.check()?;
        let Given {
            from,
            row,
            input,
            state,
        } = given;
        let mut got = Vec::new();
        let is_missing = |place: Place| !self.states(place).covers(state);
        let walked = self.walked;
        walked.over_summary(from, row, input, self.limit, is_missing, |place| {
            got.push(place);
        })?;
        for place in got {
            self.reach(place, state, Origin::From(from));
        }
        Ok(())
    }

    fn states(&self, place: Place) -> States {
        let side = self.side(place.side);
        side.map_or(States::default(), |side| side.mark(place).states)
    }
}

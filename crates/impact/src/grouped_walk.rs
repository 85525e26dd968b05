//! **Question.** The sources of a change are in groups, such as one for each hunk: which groups reach
//! which vertices?
//!
//! **Rules, Soundness.** Those of [`crate::steps`]. A step asks for nothing but where it begins and in
//! which state, so what some groups reach together is what each of them reaches: one walk carries a
//! bit for each group.
//!
//! **Cost.** A vertex is walked again when further groups come to it. Groups meet early, at what many
//! things depend on, and go on together, so that is about the cost of two walks of
//! [`crate::propagation`] for up to 64 groups, where a walk for each group is the cost of all.

use crate::dataflow_impact::{Source, SourceMap, each_start};
use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{GlobalVertex, Vertex};
use crate::propagation::STEPS_BETWEEN_LOOKS;
use crate::steps::{Place, Sameness, Start, State, Step, Walked};
use knockon_change::{Change, Side, Sides};
use knockon_program::{FunctionId, InstructionId, OutOfTime, TimeLimit};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A set of at most 64 groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups(pub u64);

impl Groups {
    pub const NONE: Groups = Groups(0);
    pub const ALL: Groups = Groups(u64::MAX);
    pub const MOST: usize = 64;

    /// The group of this number, which is below [`Groups::MOST`].
    pub fn one(number: usize) -> Groups {
        Groups(1 << number)
    }

    pub fn contains(self, number: usize) -> bool {
        self.0 >> number & 1 == 1
    }

    fn without(self, others: Groups) -> Groups {
        Groups(self.0 & !others.0)
    }

    fn with(self, others: Groups) -> Groups {
        Groups(self.0 | others.0)
    }
}

/// The groups that reached a vertex, by state, and those of them that did not go on yet.
#[derive(Clone, Copy, Default)]
struct Mark {
    reached: [Groups; 3],
    waiting: [Groups; 3],
}

impl Mark {
    /// Those of the groups that bring something new: free covers the other states.
    fn missing(self, state: State, groups: Groups) -> Groups {
        let free = self.reached[State::Free as usize];
        groups.without(self.reached[state as usize].with(free))
    }
}

/// What is given to a callee and waits for its way over the summary.
struct Given {
    from: Place,
    row: u32,
    input: u32,
    state: State,
    groups: Groups,
}

/// What was reached, and by which groups.
pub struct GroupedWalk<'a> {
    walked: Walked<'a>,
    /// By function, then by vertex; empty where nothing was reached.
    marks: Sides<Vec<Vec<Mark>>>,
    globals: FxHashMap<(Side, GlobalVertex), Groups>,
    queue: VecDeque<(Place, State)>,
    given: VecDeque<Given>,
    limit: TimeLimit<'a>,
}

/// What each group of a change's sources reaches. Ways from a source stop at what is the same, given
/// the same.
pub fn impact_by_group<'a>(
    old: &'a ProgramDependence<'a>,
    new: &'a ProgramDependence<'a>,
    change: &'a Change,
    (map, sameness): (SourceMap, Option<&'a Sameness>),
    groups_of: impl Fn(Source) -> Groups,
    limit: TimeLimit<'a>,
) -> Result<GroupedWalk<'a>, OutOfTime> {
    let marks = |whole: &ProgramDependence<'_>| vec![Vec::new(); whole.hubs.node_count()];
    let mut walk = GroupedWalk {
        walked: Walked {
            old: Some(old),
            new,
            change: Some(change),
            sameness,
        },
        marks: Sides {
            old: marks(old),
            new: marks(new),
        },
        globals: FxHashMap::default(),
        queue: VecDeque::new(),
        given: VecDeque::new(),
        limit,
    };
    each_start((old, new), change, map, |source, start| {
        walk.start(start, groups_of(source));
    });
    walk.run()?;
    Ok(walk)
}

impl GroupedWalk<'_> {
    /// The groups that reach the instruction's node.
    pub fn groups(&self, side: Side, function: FunctionId, node: InstructionId) -> Groups {
        let mark = self.mark(Place {
            side,
            function,
            vertex: Vertex(node.0),
        });
        mark.reached.into_iter().fold(Groups::NONE, Groups::with)
    }

    fn mark(&self, place: Place) -> Mark {
        let marks = &self.marks.of(place.side)[place.function.index()];
        let mark = marks.get(usize::from(place.vertex));
        mark.copied().unwrap_or_default()
    }

    fn start(&mut self, start: Start<'_>, groups: Groups) {
        match start {
            Start::Source(place) => self.reach(None, place, State::Source, groups),
            Start::Input(place) => self.reach(None, place, State::Free, groups),
            Start::Global(side, global) => self.reach_global(side, global, groups),
            Start::Written(writer) => {
                let walked = self.walked;
                walked.written_steps(writer, State::Source, |step| {
                    self.take(writer, State::Source, groups, step);
                });
            }
            Start::Arguments(node, call, positions) => {
                let walked = self.walked;
                walked.argument_steps(node, call, positions, |step| {
                    self.take(node, State::Source, groups, step);
                });
            }
        }
    }

    fn run(&mut self) -> Result<(), OutOfTime> {
        let walked = self.walked;
        let mut taken: usize = 0;
        loop {
            while let Some((place, state)) = self.queue.pop_front() {
                taken += 1;
                if taken.is_multiple_of(STEPS_BETWEEN_LOOKS) {
                    self.limit.check()?;
                }
                let marks = &mut self.marks.of_mut(place.side)[place.function.index()];
                let waiting = &mut marks[usize::from(place.vertex)].waiting[state as usize];
                let groups = std::mem::take(waiting);
                walked.steps(place, state, |step| self.take(place, state, groups, step));
            }
            let Some(given) = self.given.pop_front() else {
                return Ok(());
            };
            self.pass_over(&given)?;
        }
    }

    fn take(&mut self, from: Place, state: State, groups: Groups, step: Step) {
        match step {
            Step::To(there, state) => self.reach(Some(from), there, state, groups),
            Step::Global(global) => self.reach_global(from.side, global, groups),
            Step::Gives(row, input) => {
                if self.walked.gives_same(from, state, row) {
                    return;
                }
                self.given.push_back(Given {
                    from,
                    row,
                    input,
                    state,
                    groups,
                });
                if let Some(there) = self.walked.input(from, row, input) {
                    self.reach(Some(from), there, State::Inside, groups);
                }
            }
        }
    }

    fn pass_over(&mut self, given: &Given) -> Result<(), OutOfTime> {
        self.limit.check()?;
        let mut got = Vec::new();
        let is_missing =
            |place: Place| self.mark(place).missing(given.state, given.groups) != Groups::NONE;
        let Given {
            from, row, input, ..
        } = *given;
        let walked = self.walked;
        walked.over_summary(from, row, input, self.limit, is_missing, |place| {
            got.push(place);
        })?;
        for place in got {
            self.reach(Some(from), place, given.state, given.groups);
        }
        Ok(())
    }

    fn reach(&mut self, from: Option<Place>, place: Place, state: State, groups: Groups) {
        if self.walked.is_stopped(place, state) {
            let walked = self.walked;
            for node in walked.beyond_stop(from, place) {
                walked.steps_beyond(node, state, |step| self.take(node, state, groups, step));
            }
            return;
        }
        let Some(graph) = self.walked.graph(place.side, place.function) else {
            return;
        };
        let marks = &mut self.marks.of_mut(place.side)[place.function.index()];
        if marks.is_empty() {
            marks.resize(graph.layout.vertex_count(), Mark::default());
        }
        let mark = &mut marks[usize::from(place.vertex)];
        let missing = mark.missing(state, groups);
        if missing == Groups::NONE {
            return;
        }
        let number = state as usize;
        mark.reached[number] = mark.reached[number].with(missing);
        if mark.waiting[number] == Groups::NONE {
            self.queue.push_back((place, state));
        }
        mark.waiting[number] = mark.waiting[number].with(missing);
    }

    fn reach_global(&mut self, side: Side, global: GlobalVertex, groups: Groups) {
        let reached = self.globals.entry((side, global)).or_default();
        let missing = groups.without(*reached);
        if missing == Groups::NONE {
            return;
        }
        *reached = reached.with(missing);
        let walked = self.walked;
        walked.each_from_global(side, global, |place| {
            self.reach(None, place, State::Free, missing);
        });
    }
}

//! Execute-after by its definition: (f, g) is in SEA when on some run an event of g comes after an
//! event of f, and they belong to two different executions. Runs are followed step by step with an
//! explicit stack; nothing is condensed, summarised or shared with the analysis.

use crate::Procedure;
use crate::call_flow::{CallFlow, FlowNode, Way};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Where the execution of f is that later events are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Mark {
    Unset,
    /// On the stack.
    Frame(usize),
    /// Left.
    Gone(Procedure),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    stack: SmallVec<[FlowNode; 8]>,
    mark: Mark,
}

struct Runs<'a> {
    flow: &'a CallFlow,
    deepest: usize,
    seen: FxHashSet<State>,
    work: Vec<State>,
    relation: Vec<Vec<bool>>,
}

/// `relation[f][g]`. A run begins with any procedure. Each pair has a run whose stack is at most
/// twice as deep as there are procedures and one more: the way up and the way down enter no
/// procedure twice, and neither does what must return on the way.
pub fn execute_after(flow: &CallFlow) -> Vec<Vec<bool>> {
    let count = flow.procedure_count();
    let mut runs = Runs {
        flow,
        deepest: 2 * count + 1,
        seen: FxHashSet::default(),
        work: Vec::new(),
        relation: vec![vec![false; count]; count],
    };
    for procedure in (0..count).map(Procedure::from) {
        let nothing = State {
            stack: SmallVec::new(),
            mark: Mark::Unset,
        };
        runs.enter(nothing, procedure);
    }
    while let Some(state) = runs.work.pop() {
        runs.step(state);
    }
    let mut relation = runs.relation;
    for procedure in at_any_time(flow, &runs.seen) {
        for other in (0..count).map(Procedure::from) {
            if flow.entry(other).is_some() {
                relation[procedure.index()][other.index()] = true;
                relation[other.index()][procedure.index()] = true;
            }
        }
    }
    relation
}

/// What may run at any time, by saturation: what is called where some run comes.
fn at_any_time(flow: &CallFlow, states: &FxHashSet<State>) -> FxHashSet<Procedure> {
    let mut found: FxHashSet<Procedure> = flow.anytime.iter().copied().collect();
    loop {
        let before = found.len();
        for node in states.iter().filter_map(|state| state.stack.last()) {
            if found.contains(&flow.procedure_of[node.index()]) {
                found.extend(flow.targets.of(*node));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

impl Runs<'_> {
    fn procedure(&self, node: FlowNode) -> Procedure {
        self.flow.procedure_of[node.index()]
    }

    /// An event of the execution on top of the stack.
    fn event(&mut self, state: &State) {
        let Some(top) = state.stack.last() else {
            return;
        };
        let later = self.procedure(*top).index();
        let earlier = match state.mark {
            Mark::Unset => return,
            Mark::Frame(frame) if frame + 1 == state.stack.len() => return,
            Mark::Frame(frame) => self.procedure(state.stack[frame]),
            Mark::Gone(procedure) => procedure,
        };
        self.relation[earlier.index()][later] = true;
    }

    fn put(&mut self, state: State) {
        self.event(&state);
        if self.seen.insert(state.clone()) {
            self.work.push(state);
        }
    }

    fn enter(&mut self, mut state: State, procedure: Procedure) {
        if state.stack.len() == self.deepest {
            return;
        }
        let Some(entry) = self.flow.entry(procedure) else {
            return;
        };
        state.stack.push(entry);
        if state.mark == Mark::Unset {
            let mark = Mark::Frame(state.stack.len() - 1);
            self.put(State {
                stack: state.stack.clone(),
                mark,
            });
        }
        self.put(state);
    }

    fn step(&mut self, state: State) {
        let Some(node) = state.stack.last().copied() else {
            return;
        };
        if let Some(way) = self.flow.nodes[node.index()].ends {
            self.leave(state, way);
            return;
        }
        for target in self.flow.targets.of(node) {
            self.enter(state.clone(), *target);
        }
        for way in Way::ALL {
            if self.flow.nodes[node.index()].goes_on[way.index()] {
                self.go_on(state.clone(), way);
            }
        }
    }

    /// The node on top is left in this way.
    fn go_on(&mut self, state: State, way: Way) {
        let Some(node) = state.stack.last().copied() else {
            return;
        };
        for next in self.flow.continues(node, way) {
            let mut state = state.clone();
            state.stack.pop();
            state.stack.push(*next);
            self.put(state);
        }
        if self.flow.passes_on(node, way) {
            self.leave(state, way);
        }
    }

    /// The procedure on top is left in this way, which is an event of its own.
    fn leave(&mut self, mut state: State, way: Way) {
        self.event(&state);
        let Some(node) = state.stack.pop() else {
            return;
        };
        if state.mark == Mark::Frame(state.stack.len()) {
            state.mark = Mark::Gone(self.procedure(node));
        }
        if !state.stack.is_empty() {
            self.go_on(state, way);
        }
    }
}

//! **Question.** Which functions may execute after (or before) a given one?
//!
//! **Source.** [sea] §3: SEA = CALL ∪ SEQ ∪ RET and its dual SEB; Fig. 4, the
//! algorithm for one procedure.
//!
//! **Rules**, for procedures f, g, h:
//! - CALL: f (transitively) calls g.
//! - RET: f (transitively) returns into g, that is, g (transitively) calls f.
//! - SEQ: f (transitively) returns into h, and after that h (transitively) calls g.
//!
//! SEB exchanges f and g: RET becomes "was called by", SEQ looks at the calls
//! that precede.
//!
//! **Departures.** Fig. 4 walks component graphs and, in line 5 as printed,
//! misses that two calls inside one loop component follow each other. Here the
//! walk goes over the blocks themselves: after a call come the rest of its
//! block and all blocks reachable from it, itself included when it lies on a
//! cycle; that is the definition. A function is in its own set only where the
//! relation says so (recursion, or two runs of it), the identity is the
//! caller's to add.
//!
//! **Cost.** Linear in blocks and call sites: each block is entered once from
//! its start, each call edge is followed at most once upwards and once down.

use crate::call_structure::{CallStructure, Procedure};
use fixedbitset::FixedBitSet;
use knockon_program::{BlockId, FunctionId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    After,
    Before,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// CALL.
    Calls,
    /// RET.
    ReturnsInto,
    /// SEQ.
    Follows,
}

/// A member of the set, with one example of why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub function: FunctionId,
    pub reason: Reason,
    /// The functions on the way, from the one asked about to this one.
    pub path: Vec<FunctionId>,
}

/// The set of one function, by function id. If a function is related in several
/// ways, CALL is told before RET, and RET before SEQ.
pub fn execute_after(
    calls: &CallStructure,
    function: FunctionId,
    direction: Direction,
) -> Vec<Related> {
    let from = Procedure::from(function);
    let called = descend(calls, &[(from, None)]);
    let callers = ascend(calls, from);
    let seeds = calls_beside(calls, from, &callers, direction);
    let beside = descend_from_calls(calls, &seeds);

    let mut related = Vec::new();
    for index in 0..calls.function_count {
        let procedure = Procedure::from(index);
        let found = if let Some(path) = called.path_to(procedure) {
            Some((Reason::Calls, path))
        } else if let Some(path) = callers.path_to(procedure) {
            Some((Reason::ReturnsInto, path))
        } else {
            beside.path_to(procedure).map(|path| {
                // The walk down starts at a procedure of the walk up.
                let turn = path[0];
                let mut whole = callers.path_to(turn).unwrap_or_else(|| vec![from]);
                if whole.last() == Some(&turn) {
                    whole.pop();
                }
                whole.extend(path);
                (Reason::Follows, whole)
            })
        };
        if let Some((reason, path)) = found {
            related.push(Related {
                function: FunctionId::from_index(index),
                reason,
                path: path
                    .into_iter()
                    .filter(|step| step.index() < calls.function_count)
                    .map(|step| FunctionId(step.0))
                    .collect(),
            });
        }
    }
    related
}

/// Procedures reached by at least one step, each with the one it was reached from.
struct Reached {
    from: Vec<Option<Procedure>>,
}

impl Reached {
    fn new(calls: &CallStructure) -> Reached {
        Reached {
            from: vec![None; calls.sites.row_count()],
        }
    }

    fn path_to(&self, procedure: Procedure) -> Option<Vec<Procedure>> {
        self.from[procedure.index()]?;
        let mut path = vec![procedure];
        let mut at = procedure;
        while let Some(previous) = self.from[at.index()] {
            path.push(previous);
            // A start that was itself reached closes a cycle; stop there.
            if path.len() > 1 && path[..path.len() - 1].contains(&previous) {
                break;
            }
            at = previous;
        }
        path.reverse();
        Some(path)
    }
}

/// CALL: everything that the starts call, transitively.
fn descend(calls: &CallStructure, starts: &[(Procedure, Option<Procedure>)]) -> Reached {
    let mut reached = Reached::new(calls);
    let mut expanded = FixedBitSet::with_capacity(calls.sites.row_count());
    let mut work: std::collections::VecDeque<Procedure> = Default::default();
    for (start, parent) in starts {
        if let Some(parent) = parent {
            if reached.from[start.index()].is_some() {
                continue;
            }
            reached.from[start.index()] = Some(*parent);
        }
        if !expanded.put(start.index()) {
            work.push_back(*start);
        }
    }
    while let Some(caller) = work.pop_front() {
        for site in calls.sites.of(caller) {
            let slot = &mut reached.from[site.callee.index()];
            if slot.is_none() {
                *slot = Some(caller);
            }
            if !expanded.put(site.callee.index()) {
                work.push_back(site.callee);
            }
        }
    }
    reached
}

fn descend_from_calls(calls: &CallStructure, seeds: &[(Procedure, Procedure)]) -> Reached {
    let starts: Vec<_> = seeds
        .iter()
        .map(|(callee, caller)| (*callee, Some(*caller)))
        .collect();
    descend(calls, &starts)
}

/// RET: everything that (transitively) calls the start.
fn ascend(calls: &CallStructure, start: Procedure) -> Reached {
    let mut reached = Reached::new(calls);
    let mut expanded = FixedBitSet::with_capacity(calls.sites.row_count());
    let mut work = std::collections::VecDeque::from([start]);
    expanded.insert(start.index());
    while let Some(callee) = work.pop_front() {
        for (caller, _) in calls.callers.of(callee) {
            let slot = &mut reached.from[caller.index()];
            if slot.is_none() {
                *slot = Some(callee);
            }
            if !expanded.put(caller.index()) {
                work.push_back(*caller);
            }
        }
    }
    reached
}

/// SEQ: in each procedure that control returns into, the calls that come after
/// (before) the call it returns from. Pairs of callee and caller.
fn calls_beside(
    calls: &CallStructure,
    start: Procedure,
    callers: &Reached,
    direction: Direction,
) -> Vec<(Procedure, Procedure)> {
    let mut seeds = Vec::new();
    let mut walk = BlockWalk::default();
    for index in 0..calls.sites.row_count() {
        let caller = Procedure::from(index);
        let Some(flow) = &calls.flows[index] else {
            continue;
        };
        if callers.from[index].is_none() {
            continue;
        }
        let sites = calls.sites.of(caller);
        let returns_here =
            |callee: Procedure| callee == start || callers.from[callee.index()].is_some();
        let edges = match direction {
            Direction::After => &flow.successors,
            Direction::Before => &flow.predecessors,
        };
        walk.begin(edges.row_count());
        // Sites are in instruction order, and blocks are contiguous: one pass
        // forward (backward) sees for each block whether a returning call came
        // earlier (comes later) in it.
        let mut pending: Option<BlockId> = None;
        let mut visit = |site: &crate::call_structure::Site| {
            if pending == Some(site.block) {
                seeds.push((site.callee, caller));
            }
            if returns_here(site.callee) && pending != Some(site.block) {
                pending = Some(site.block);
                for next in edges.of(site.block) {
                    walk.enter(*next);
                }
            }
        };
        match direction {
            Direction::After => sites.iter().for_each(&mut visit),
            Direction::Before => sites.iter().rev().for_each(&mut visit),
        }
        while let Some(block) = walk.work.pop() {
            for next in edges.of(block) {
                walk.enter(*next);
            }
        }
        for site in sites {
            if walk.entered.contains(site.block.index()) {
                seeds.push((site.callee, caller));
            }
        }
    }
    seeds
}

/// Blocks entered from outside, so that all their calls come after (before).
#[derive(Default)]
struct BlockWalk {
    entered: FixedBitSet,
    work: Vec<BlockId>,
}

impl BlockWalk {
    fn begin(&mut self, blocks: usize) {
        self.entered.clear();
        self.entered.grow(blocks);
        self.work.clear();
    }

    fn enter(&mut self, block: BlockId) {
        if !self.entered.put(block.index()) {
            self.work.push(block);
        }
    }
}

#[cfg(test)]
mod tests;

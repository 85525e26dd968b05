//! Calls whose order is observed though they share no memory.
//!
//! **Rules.** Calls that may lead to a common function, now or when the program ends, write one more
//! variable: their order is part of what that function observes. Calls that may lead to the function
//! itself, or return twice, write another, which every node reads: what it observes comes before or
//! after what its other occurrences do.
//!
//! **Cost.** The call graph below each call of the function, each function of it once.

use crate::Side;
use crate::agreement::BodyPair;
use knockon_graphs::Rows;
use knockon_memory::memory_model::MemoryModel;
use knockon_memory::memory_ssa::{Accesses, Variable, VariableIndex};
use knockon_memory::mod_ref::MemoryEffect;
use knockon_memory::regions::RegionId;
use knockon_program::{Body, Flags, FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Calls whose order is told.
struct OrderedCalls {
    /// In groups: two calls that may lead to a common function are in one. What runs in that function
    /// is observed in the order of the calls, even where they share no memory.
    groups: Vec<(InstructionId, usize)>,
    /// After these, nodes of the function itself may run or may have run that are observed in their
    /// order: calls that may lead to it again, and those that may return twice. Of a function that
    /// may run while others do, all calls that do something: whoever they wait for, wake up or leave
    /// to the system may lead to it. Ascending.
    repeating: Vec<InstructionId>,
}

fn ordered_calls(memory: &MemoryModel, function: FunctionId, body: &Body) -> OrderedCalls {
    let (calls, regions) = (&memory.calls, &memory.regions);
    let mut group_of: Vec<usize> = Vec::new();
    let mut owner: FxHashMap<FunctionId, usize> = FxHashMap::default();
    let mut found: Vec<InstructionId> = Vec::new();
    let mut repeating: Vec<InstructionId> = Vec::new();
    let root = |group_of: &[usize], mut group: usize| {
        while group_of[group] != group {
            group = group_of[group];
        }
        group
    };
    // What it registers runs in the order in which it was registered, or against it.
    let entered = |site| {
        let now = calls.targets.of(site).iter();
        now.chain(calls.callbacks.of(site))
            .chain(regions.registered(site))
    };
    let leading_back = leading_back(function, |callee| {
        let sites = calls.sites_of(callee);
        sites.flat_map(entered).copied().collect()
    });
    let is_repeated = memory.meanwhile.may_run(function);
    let does_something = |site| {
        let effect = memory.mod_ref.call(calls, regions, site);
        effect != MemoryEffect::default()
    };
    for site in calls.sites_of(function) {
        let mut work: Vec<FunctionId> = entered(site).copied().collect();
        if work.iter().any(|callee| leading_back.contains(callee))
            || is_repeated && (!work.is_empty() || does_something(site))
        {
            repeating.push(calls.site(site).instruction);
        }
        if work.is_empty() {
            continue;
        }
        let own = group_of.len();
        group_of.push(own);
        found.push(calls.site(site).instruction);
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        while let Some(callee) = work.pop() {
            if !seen.insert(callee) {
                continue;
            }
            let known = *owner.entry(callee).or_insert(own);
            let (one, two) = (root(&group_of, known), root(&group_of, own));
            group_of[one.max(two)] = one.min(two);
            if known == own {
                let sites = calls.sites_of(callee);
                work.extend(sites.flat_map(entered).copied());
            }
        }
    }
    let returns_twice = |id: &InstructionId| body.instruction(*id).flags.has(Flags::RETURNS_TWICE);
    repeating.extend(body.instruction_ids().filter(returns_twice));
    repeating.sort_unstable();
    repeating.dedup();
    let rows = found.into_iter().enumerate();
    OrderedCalls {
        groups: rows.map(|(at, id)| (id, root(&group_of, at))).collect(),
        repeating,
    }
}

/// The functions that may lead to this one, among those that it may lead to, and itself.
fn leading_back(
    function: FunctionId,
    callees: impl Fn(FunctionId) -> Vec<FunctionId>,
) -> FxHashSet<FunctionId> {
    let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    let mut seen = FxHashSet::from_iter([function]);
    let mut work = vec![function];
    while let Some(caller) = work.pop() {
        for callee in callees(caller) {
            callers.entry(callee).or_default().push(caller);
            if seen.insert(callee) {
                work.push(callee);
            }
        }
    }
    let mut found = FxHashSet::from_iter([function]);
    work.push(function);
    while let Some(callee) = work.pop() {
        for caller in callers.get(&callee).into_iter().flatten() {
            if found.insert(*caller) {
                work.push(*caller);
            }
        }
    }
    found
}

/// Each group of calls is one more variable, which its calls write; and so are the repeating calls,
/// after which each node of the function sees whether it comes before or after them.
pub(crate) fn with_order(pair: &BodyPair<'_>, side: Side, found: Accesses) -> Accesses {
    let memory = *pair.memory.of(side);
    let OrderedCalls { groups, repeating } =
        ordered_calls(memory, *pair.functions.of(side), pair.bodies.of(side));
    let first = found.variables.len();
    let last = first + groups.len();
    let count = found.writes.row_count();
    let mut variables = found.variables;
    // What a variable is called is not asked here.
    let added = 0..=groups.len();
    variables.extend(added.map(|at| Variable::Region(RegionId(u32::MAX - at as u32))));
    let mut reads = Rows::with_capacity(count, found.reads.item_count() + count);
    let mut writes = Rows::with_capacity(count, found.writes.item_count() + groups.len());
    for index in 0..count {
        let id = InstructionId::from_index(index);
        let group = groups.binary_search_by_key(&id, |row| row.0).ok();
        let own = group.map(|at| (VariableIndex::from(first + groups[at].1), false));
        let repeats = repeating.binary_search(&id).ok();
        let repeats = repeats.map(|_| (VariableIndex::from(last), false));
        let row = found.writes.of(index).iter().copied();
        writes.push_row(row.chain(own).chain(repeats));
        let order = (!repeating.is_empty()).then(|| VariableIndex::from(last));
        reads.push_row(found.reads.of(index).iter().copied().chain(order));
    }
    Accesses {
        variables,
        reads,
        writes,
        second_returns: found.second_returns,
    }
}

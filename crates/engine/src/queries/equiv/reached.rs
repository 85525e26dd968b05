//! What a function may lead to, in both versions: which pairs a proof of it needs, whether something
//! there may not end, and which variables with another first value are named there.

use fixedbitset::FixedBitSet;
use knockon_change::{FunctionPair, Side, Sides, Version};
use knockon_graphs::{NodeId, Rows, components, control_flow};
use knockon_program::FunctionId;
use knockon_proof::fixed_values::OtherStart;
use knockon_proof::function_pairs::FunctionPairs;
use rustc_hash::FxHashSet;

/// The pairs and all that they may call.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) pairs: FxHashSet<usize>,
    functions: Sides<FxHashSet<FunctionId>>,
}

pub(super) fn reached(pairs: &FunctionPairs<'_>, wanted: &[usize]) -> Reached {
    let mut found = Reached::default();
    let mut work: Vec<(Side, FunctionId)> = Vec::new();
    let both = |pair: &FunctionPair| Side::BOTH.map(|side| (side, *pair.functions.of(side)));
    for number in wanted {
        work.extend(both(&pairs.change.pairs[*number]));
    }
    while let Some((side, function)) = work.pop() {
        if !found.functions.of_mut(side).insert(function) {
            continue;
        }
        if let Some(pair) = pairs.change.pair_of.of(side)[function.index()]
            && found.pairs.insert(pair.0 as usize)
        {
            work.extend(both(&pairs.change.pairs[pair.0 as usize]));
        }
        let entered = entered(*pairs.versions.of(side), function);
        work.extend(entered.into_iter().map(|callee| (side, callee)));
    }
    found
}

fn entered(version: Version<'_>, function: FunctionId) -> Vec<FunctionId> {
    let memory = version.memory;
    let sites = memory.calls.sites_of(function);
    let entered = sites.flat_map(|site| memory.regions.entered(&memory.calls, site));
    entered.map(|row| row.0).collect()
}

impl Reached {
    /// One of the functions is among these.
    pub(super) fn meets(&self, functions: &Sides<FixedBitSet>) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let mut own = self.functions.of(side).iter();
            own.any(|function| functions.of(side).contains(function.index()))
        })
    }
}

/// By function: it has a loop, or may lead to itself.
pub(super) fn repeating(versions: Sides<Version<'_>>) -> Sides<FixedBitSet> {
    let mut found: Sides<FixedBitSet> = Sides::default();
    for side in Side::BOTH {
        let version = *versions.of(side);
        let count = version.program.functions.len();
        let mut repeats = FixedBitSet::with_capacity(count);
        let mut calls: Vec<(usize, usize)> = Vec::new();
        for (function, _, body) in version.program.defined_functions() {
            let blocks = control_flow(body).successors;
            repeats.set(function.index(), !on_cycles(&blocks).is_empty());
            let entered = entered(version, function).into_iter();
            calls.extend(entered.map(|callee| (function.index(), callee.index())));
        }
        calls.sort_unstable();
        calls.dedup();
        for function in on_cycles(&Rows::from_pairs(count, &calls)) {
            repeats.insert(function);
        }
        *found.of_mut(side) = repeats;
    }
    found
}

/// The nodes that are on a cycle.
fn on_cycles<N: NodeId>(graph: &Rows<N>) -> Vec<N> {
    let components = components(graph);
    let cyclic = (0..components.count()).filter(|at| components.is_cyclic(*at as u32, graph));
    cyclic
        .flat_map(|at| components.members.of(at).iter().copied())
        .collect()
}

/// What a function is compared on: `limit`, `count`.
pub(super) fn named(starts: &[&OtherStart]) -> String {
    let names = starts.iter().map(|start| format!("`{}`", start.name));
    names.collect::<Vec<_>>().join(", ")
}

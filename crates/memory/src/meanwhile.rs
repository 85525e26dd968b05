//! **Question.** Which functions may run while another one does, without being called by it?
//!
//! **Rules.** Handlers of signals, starts of threads, and functions whose address reached code that is
//! not modelled, which may call them from any other call of it; and all that those call. The functions
//! of a library are called one after the other: they count only if they were registered as well.
//!
//! **Cost.** Linear in the call graph.

use crate::call_graph::{CallGraph, CallSiteId};
use crate::regions::Regions;
use fixedbitset::FixedBitSet;
use knockon_program::FunctionId;

#[derive(Clone, Debug, Default)]
pub struct Meanwhile {
    /// Those that are entered so.
    pub entered: Vec<FunctionId>,
    /// By function: those, and all that they may lead to.
    may_run: FixedBitSet,
}

impl Meanwhile {
    pub fn may_run(&self, function: FunctionId) -> bool {
        self.may_run.contains(function.index())
    }
}

pub fn meanwhile(calls: &CallGraph, regions: &Regions) -> Meanwhile {
    let entries = &calls.entries;
    let sites = (0..calls.sites.len()).map(CallSiteId::from);
    let mut registered: Vec<FunctionId> = sites
        .flat_map(|site| regions.registered(site))
        .copied()
        .collect();
    registered.sort_unstable();
    registered.dedup();
    let is_of_library = |function: &FunctionId| entries.library.contains(function);
    let is_registered = |function: &FunctionId| registered.binary_search(function).is_ok();
    let anytime = entries.anytime.iter().copied();
    let entered: Vec<FunctionId> = anytime
        .filter(|function| is_registered(function) || !is_of_library(function))
        .collect();
    let mut may_run = FixedBitSet::with_capacity(calls.function_count());
    let mut work = entered.clone();
    while let Some(function) = work.pop() {
        if may_run.put(function.index()) {
            continue;
        }
        for site in calls.sites_of(function) {
            work.extend(regions.entered(calls, site).map(|row| row.0));
        }
    }
    Meanwhile { entered, may_run }
}

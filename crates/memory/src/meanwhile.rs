//! **Question.** Which functions may run while another one does, without being called by it?
//!
//! **Rules.** Handlers of signals and starts of threads run between any two instructions. Functions
//! whose address reached code that is not modelled run in any call of such code, and in calls that let
//! others run; so do all that these call. The functions of a library are called one after the other:
//! they count only if they were registered as well.
//!
//! **Soundness.** Code that is not modelled may run what it knows in a thread of its own. Then the
//! program and that thread touch common memory only in an order that calls or atomic accesses make:
//! else they race, which is undefined. Calls of code that is not modelled have the effects of all that
//! it knows, and so have library calls that wait for others or wake them ([`crate::mod_ref`]).
//!
//! **Cost.** Linear in the call graph.

use crate::call_graph::{CallGraph, CallSiteId};
use crate::regions::Regions;
use fixedbitset::FixedBitSet;
use knockon_program::FunctionId;

#[derive(Clone, Debug, Default)]
pub struct Meanwhile {
    /// Those that are entered between any two instructions.
    pub interrupting: Vec<FunctionId>,
    /// By function: those, those that code which is not modelled knows, and all that they lead to.
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
    let entered = |functions: &[FunctionId]| -> Vec<FunctionId> {
        let functions = functions.iter().copied();
        functions
            .filter(|function| is_registered(function) || !is_of_library(function))
            .collect()
    };
    let mut may_run = FixedBitSet::with_capacity(calls.function_count());
    let mut work = entered(&entries.anytime);
    while let Some(function) = work.pop() {
        if may_run.put(function.index()) {
            continue;
        }
        for site in calls.sites_of(function) {
            work.extend(regions.entered(calls, site).map(|row| row.0));
        }
    }
    Meanwhile {
        interrupting: entered(&entries.interrupting),
        may_run,
    }
}

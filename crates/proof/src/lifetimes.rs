//! **Question.** Which functions neither make nor free an object that outlives them?
//!
//! **Rules.** A function keeps lifetimes if each of its calls does: one of functions with a body
//! that do, and of library functions that neither give fresh memory nor free any, register nothing,
//! and call back only what does. Local variables end with their function. What does not return
//! says nothing of the state after it.
//!
//! **Cost.** Linear in the call graph, once for a version.

use fixedbitset::FixedBitSet;
use knockon_change::Version;
use knockon_library::{Origin, Return, library};
use knockon_memory::call_graph::CallSiteId;
use knockon_program::FunctionId;

/// By function: it makes and frees nothing that outlives it.
pub struct Lifetimes {
    kept_by: FixedBitSet,
}

impl Lifetimes {
    pub fn new(version: Version<'_>) -> Lifetimes {
        let calls = &version.memory.calls;
        let count = version.program.functions.len();
        let mut lifetimes = Lifetimes {
            kept_by: FixedBitSet::with_capacity(count),
        };
        lifetimes.kept_by.insert_range(..);
        let mut callers: Vec<Vec<FunctionId>> = vec![Vec::new(); count];
        let mut queue: Vec<FunctionId> = Vec::new();
        for (number, site) in calls.sites.iter().enumerate() {
            let id = CallSiteId::from(number);
            let targets = calls.targets.of(id).iter().chain(calls.callbacks.of(id));
            targets.for_each(|target| callers[target.index()].push(site.caller));
            if !calls_outside_keep(version, id) {
                queue.push(site.caller);
            }
        }
        while let Some(function) = queue.pop() {
            if lifetimes.kept_by.contains(function.index()) {
                lifetimes.kept_by.set(function.index(), false);
                queue.extend(&callers[function.index()]);
            }
        }
        lifetimes
    }

    /// What may be accessed after the call is what could be before.
    pub fn are_kept_by(&self, version: Version<'_>, site: CallSiteId) -> bool {
        let calls = &version.memory.calls;
        let mut targets = calls
            .targets
            .of(site)
            .iter()
            .chain(calls.callbacks.of(site));
        calls_outside_keep(version, site)
            && targets.all(|target| self.kept_by.contains(target.index()))
    }
}

/// What the call may enter outside of the program keeps lifetimes, and it is known what it enters.
fn calls_outside_keep(version: Version<'_>, site: CallSiteId) -> bool {
    let calls = &version.memory.calls;
    let externals = calls.externals.of(site);
    let is_unknown = externals.is_empty() && calls.targets.of(site).is_empty();
    if is_unknown || calls.site(site).calls_unmodelled {
        return false;
    }
    externals.iter().all(|external| {
        let row = library().of(version.program.function_name(*external));
        row.is_some_and(|row| {
            row.frees.is_none()
                && row.stores.is_empty()
                && !row.redirects
                && matches!(row.return_, Return::Always | Return::Never)
                && !row.returns.contains(&Origin::Fresh)
        })
    })
}

//! Which functions may each call enter, and where does execution begin?
//!
//! A call site has *targets*: functions with a body that control may enter there, whether named or
//! through a pointer. A call of an external function has none, but *callbacks*: functions that the
//! external function may call, any number of times and in any order, before it returns. *Entries*
//! are what is called from outside of the program.

use knockon_graphs::Rows;
use knockon_program::{BlockId, Caveat, FunctionId, InstructionId};

/// A call instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallSiteId(pub u32);

impl CallSiteId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for CallSiteId {
    fn from(index: usize) -> CallSiteId {
        CallSiteId(index as u32)
    }
}

impl From<CallSiteId> for usize {
    fn from(site: CallSiteId) -> usize {
        site.index()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    pub caller: FunctionId,
    pub block: BlockId,
    pub instruction: InstructionId,
    /// The external function that may be called here is unmodelled, or unknown code may be.
    pub calls_unmodelled: bool,
    /// Only because functions of the library are called which may call what the program defines in
    /// their place: they do what is said of them, and what those functions do.
    pub only_replacements: bool,
    /// An external function is called that runs the exit handlers and ends the program.
    pub exits: bool,
}

#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// All call instructions of all functions with a body, by caller, then by instruction.
    pub sites: Vec<CallSite>,
    /// For each function the first of its sites; one more at the end.
    pub first_site: Vec<u32>,
    /// For each site the functions with a body that it may enter, ascending.
    pub targets: Rows<FunctionId>,
    /// For each site the functions without a body that it may call, ascending.
    pub externals: Rows<FunctionId>,
    /// For each site the functions with a body that an external callee may call back, ascending.
    pub callbacks: Rows<FunctionId>,
    pub entries: Entries,
    pub caveats: Vec<Caveat>,
}

/// What is called from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// In the order in which they run.
    pub constructors: Vec<FunctionId>,
    /// The functions named `main` that have a body.
    pub mains: Vec<FunctionId>,
    /// Without a `main`: every external function with a body, called in any order.
    pub library: Vec<FunctionId>,
    /// Registered with `atexit` and its kin, or by code that is not seen.
    pub exit_handlers: Vec<FunctionId>,
    /// In the order in which they run.
    pub destructors: Vec<FunctionId>,
    /// May run at any time: signal handlers, thread starts, and functions whose address reached
    /// code that is not modelled.
    pub anytime: Vec<FunctionId>,
    /// Of those, signal handlers and thread starts: they run beside everything else, where the others
    /// run while code that is not modelled does.
    pub interrupting: Vec<FunctionId>,
}

impl CallSite {
    /// Code may run here of which nothing is known.
    pub fn enters_unknown_code(&self) -> bool {
        self.calls_unmodelled && !self.only_replacements
    }
}

impl CallGraph {
    pub fn function_count(&self) -> usize {
        self.first_site.len() - 1
    }

    /// The sites of a caller, in instruction order.
    pub fn sites_of(&self, caller: FunctionId) -> impl Iterator<Item = CallSiteId> + use<> {
        (self.first_site[caller.index()]..self.first_site[caller.index() + 1]).map(CallSiteId)
    }

    pub fn site(&self, site: CallSiteId) -> &CallSite {
        &self.sites[site.index()]
    }

    /// The site of a call instruction.
    pub fn site_of(&self, caller: FunctionId, instruction: InstructionId) -> Option<CallSiteId> {
        let first = self.first_site[caller.index()] as usize;
        let end = self.first_site[caller.index() + 1] as usize;
        self.sites[first..end]
            .binary_search_by_key(&instruction, |site| site.instruction)
            .ok()
            .map(|found| CallSiteId::from(first + found))
    }
}

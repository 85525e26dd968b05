//! The dependence graphs of all functions of one program, each built when it is first asked for,
//! and what leads from one to another.

use super::building::build;
use super::function_memory::{FunctionMemory, function_memory};
use super::hubs::{Hubs, hub_graph, hub_memory};
use super::{FunctionDependence, GlobalVertex};
use crate::summaries::{Summaries, Summary};
use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;
use knockon_library::{World, library};
use knockon_memory::call_graph::CallSiteId;
use knockon_memory::memory_model::MemoryModel;
use knockon_memory::memory_ssa::Variable;
use knockon_memory::mod_ref::WorldSet;
use knockon_memory::regions::{Allocation, RegionId};
use knockon_program::{
    Flags, FunctionAttributes, FunctionId, GlobalId, Opcode, OutOfTime, Program, TimeLimit,
};
use std::sync::{Arc, Mutex, OnceLock};

/// What functions touch that run when nothing in the program calls them: at any time (signal
/// handlers, threads, functions that code outside knows), or when the program ends.
#[derive(Default)]
pub struct UncalledMemory {
    /// Ascending.
    regions: Vec<RegionId>,
    world: WorldSet,
}

impl UncalledMemory {
    fn anytime(memory: &MemoryModel, leads_outside: bool) -> UncalledMemory {
        let entries = &memory.calls.entries;
        // The functions of a library are called one after the other, unless they were registered
        // to run later, or some call leads to code that may call them.
        let mut registered: Vec<FunctionId> = Vec::new();
        for site in 0..memory.calls.sites.len() {
            registered.extend(memory.regions.registered(CallSiteId::from(site)));
        }
        let at_any_time = |function: &&FunctionId| {
            leads_outside || !entries.library.contains(function) || registered.contains(function)
        };
        UncalledMemory::of(memory, entries.anytime.iter().filter(at_any_time))
    }

    fn of<'a>(
        memory: &MemoryModel,
        functions: impl Iterator<Item = &'a FunctionId>,
    ) -> UncalledMemory {
        let mut found = UncalledMemory::default();
        for function in functions {
            let effect = memory.mod_ref.function(&memory.regions, *function);
            let touched = effect.may_read.iter().chain(&effect.may_write);
            let shared = touched.filter(|region| memory.regions.is_shared(**region));
            found.regions.extend(shared);
            found.world |= effect.world_reads;
            found.world |= effect.world_writes;
        }
        found.regions.sort_unstable();
        found.regions.dedup();
        found
    }

    pub fn touches(&self, variable: Variable) -> bool {
        match variable {
            Variable::Region(region) => self.regions.binary_search(&region).is_ok(),
            // Nothing reads what was put out.
            Variable::World(World::Output) => false,
            Variable::World(part) => self.world.contains(part),
        }
    }

    fn is_empty(&self) -> bool {
        self.regions.is_empty() && self.world.is_empty()
    }
}

pub struct ProgramDependence<'a> {
    pub program: &'a Program,
    pub memory: &'a MemoryModel,
    pub anytime: UncalledMemory,
    pub at_end: UncalledMemory,
    /// Functions and hubs that may run at any time, or are called from such.
    runs_anytime: FixedBitSet,
    /// Run when the program ends.
    pub last: Vec<FunctionId>,
    pub hubs: Hubs,
    /// Some call leads to code that may call functions which run at any time.
    pub leads_outside: bool,
    /// For each function and hub those that may enter it, ascending.
    pub callers: Rows<FunctionId>,
    /// Called from outside, one after the other: memory stays between.
    pub outer: Vec<FunctionId>,
    /// Variables that functions may touch at any time, and who touches them, ascending.
    touching: Vec<(Variable, FunctionId)>,
    /// Functions that were registered to run at any time and are no starts of threads, ascending.
    pub handlers: Vec<FunctionId>,
    /// There may be other processes that run the program.
    pub are_several: bool,
    /// Functions with calls that decide whether those run.
    with_runs_handlers: Vec<FunctionId>,
    with_second_returns: Vec<FunctionId>,
    with_jumps: Vec<FunctionId>,
    with_landing_pads: Vec<FunctionId>,
    with_throws: Vec<FunctionId>,
    /// What the outside may call at any time, and what calls the outside.
    with_outside: Vec<FunctionId>,
    summaries: Mutex<Summaries>,
    memories: Vec<OnceLock<Option<Box<FunctionMemory>>>>,
    graphs: Vec<OnceLock<Option<Box<FunctionDependence>>>>,
}

impl<'a> ProgramDependence<'a> {
    pub fn new(program: &'a Program, memory: &'a MemoryModel) -> ProgramDependence<'a> {
        let entries = &memory.calls.entries;
        let enters_anytime = |site: usize| {
            let row = memory.calls.callbacks.of(site).iter();
            row.chain(memory.regions.registered(CallSiteId::from(site)))
                .any(|callee| entries.anytime.binary_search(callee).is_ok())
        };
        let leads_outside = (0..memory.calls.sites.len()).any(enters_anytime);
        let last = entries.exit_handlers.iter().chain(&entries.destructors);
        let mut last: Vec<FunctionId> = last.copied().collect();
        last.sort_unstable();
        last.dedup();
        let outer = entries.constructors.iter().chain(&entries.mains);
        let hubs = Hubs::of(program, &memory.calls);
        let count = hubs.node_count();
        let callers = callers(memory, &hubs);
        let runs_anytime = running_anytime(&callers, &entries.anytime);
        let mut found = ProgramDependence {
            program,
            memory,
            hubs,
            leads_outside,
            outer: outer.chain(&entries.library).copied().collect(),
            touching: Vec::new(),
            handlers: handlers(program, memory),
            are_several: memory.processes.are_several(),
            with_runs_handlers: Vec::new(),
            with_second_returns: Vec::new(),
            with_jumps: Vec::new(),
            with_landing_pads: Vec::new(),
            with_throws: Vec::new(),
            with_outside: Vec::new(),
            summaries: Mutex::new(Summaries::new(&callers)),
            callers,
            memories: (0..count).map(|_| OnceLock::new()).collect(),
            graphs: (0..count).map(|_| OnceLock::new()).collect(),
            runs_anytime,
            anytime: UncalledMemory::anytime(memory, leads_outside),
            at_end: UncalledMemory::of(memory, last.iter()),
            last,
        };
        for (id, _, body) in program.defined_functions() {
            let has = |opcode: Opcode| body.instructions.iter().any(|row| row.opcode == opcode);
            let mut rows = body.instructions.iter();
            if rows.any(|row| row.flags.has(Flags::RETURNS_TWICE)) {
                found.with_second_returns.push(id);
            }
            if has(Opcode::LandingPad) {
                found.with_landing_pads.push(id);
            }
            let sites = memory.calls.sites_of(id);
            let externals: Vec<FunctionId> = sites
                .flat_map(|site| memory.calls.externals.of(site))
                .copied()
                .collect();
            let mut sites = memory.calls.sites_of(id);
            if found.is_anytime(id) || sites.any(|site| enters_anytime(site.index())) {
                found.with_outside.push(id);
            }
            if found.is_anytime(id) {
                found.with_jumps.push(id);
            }
            let mut sites = memory.calls.sites_of(id);
            if sites.any(|site| found.runs_handlers(site)) {
                found.with_runs_handlers.push(id);
            }
            let throws = |external: &FunctionId| {
                let attributes = program.function(*external).attributes;
                !attributes.has(FunctionAttributes::NO_UNWIND)
            };
            if has(Opcode::Resume) || externals.iter().any(throws) {
                found.with_throws.push(id);
            }
        }
        if !memory.processes.shared.is_empty() {
            // Each process may write it while the others run.
            found.anytime.regions.extend(&memory.processes.shared);
            found.anytime.regions.sort_unstable();
            found.anytime.regions.dedup();
            found.runs_anytime.insert_range(..);
        }
        if !found.anytime.is_empty() || !found.at_end.is_empty() {
            found.find_touching();
        }
        found
    }

    fn find_touching(&mut self) {
        for (id, _, body) in self.program.defined_functions() {
            let own = self.memory.regions.function(id);
            let mut variables: Vec<Variable> = Vec::new();
            for instruction in body.instruction_ids() {
                let read = own.may_read(instruction).iter();
                let touched = read.chain(own.may_write(instruction));
                variables.extend(touched.map(|region| Variable::Region(*region)));
            }
            let effect = self.memory.mod_ref.function(&self.memory.regions, id);
            variables.extend(effect.world_reads.iter().map(Variable::World));
            variables.extend(effect.world_writes.iter().map(Variable::World));
            variables.sort_unstable();
            variables.dedup();
            let touched = variables.into_iter();
            let touched = touched.filter(|variable| {
                self.anytime.touches(*variable) || self.at_end.touches(*variable)
            });
            self.touching.extend(touched.map(|variable| (variable, id)));
        }
        self.touching.sort_unstable();
    }

    /// Something catches jumps or exceptions.
    pub fn may_come_back_elsewhere(&self) -> bool {
        !self.with_second_returns.is_empty() || !self.with_landing_pads.is_empty()
    }

    /// Code outside may call it at any time.
    pub fn is_anytime(&self, function: FunctionId) -> bool {
        let anytime = &self.memory.calls.entries.anytime;
        anytime.binary_search(&function).is_ok()
    }

    /// The call decides whether, when or with what handlers run.
    pub fn runs_handlers(&self, site: CallSiteId) -> bool {
        let runs = |external: &FunctionId| {
            let effect = library().of(self.program.function_name(*external));
            effect.is_some_and(|effect| effect.runs_handlers)
        };
        !self.handlers.is_empty() && self.memory.calls.externals.of(site).iter().any(runs)
    }

    /// Runs at the end and has the parameters of a handler of `on_exit`: the status, and what was
    /// registered with it. Other handlers have none, or only the latter.
    pub fn is_given_exit_status(&self, function: FunctionId) -> bool {
        self.program.function(function).parameters.len() > 1
    }

    /// `None` for a function without a body.
    pub fn memory_of(&self, function: FunctionId) -> Option<&FunctionMemory> {
        let made = self.memories[function.index()].get_or_init(|| {
            if self.hubs.is_hub(function) {
                return Some(Box::new(hub_memory(self, function)));
            }
            let body = self.program.function(function).body.as_deref()?;
            let made = function_memory(self, function, body);
            Some(Box::new(made))
        });
        made.as_deref()
    }

    /// `None` for a function without a body.
    pub fn graph(&self, function: FunctionId) -> Option<&FunctionDependence> {
        let made = self.graphs[function.index()].get_or_init(|| {
            let made = match self.hubs.is_hub(function) {
                true => hub_graph(self, function),
                false => build(self, function),
            };
            made.map(Box::new)
        });
        made.as_deref()
    }

    /// Which outputs of a function depend on which inputs; `None` without a body.
    pub fn summary(
        &self,
        function: FunctionId,
        limit: TimeLimit<'_>,
    ) -> Result<Option<Arc<Summary>>, OutOfTime> {
        let mut summaries = match self.summaries.lock() {
            Ok(summaries) => summaries,
            // Whoever panicked left nothing half done that is read: rows are set whole.
            Err(poisoned) => poisoned.into_inner(),
        };
        summaries.of(self, function, limit)
    }

    /// The functions in which a global vertex leads somewhere.
    pub fn functions_of_global(&self, global: GlobalVertex) -> Vec<FunctionId> {
        match global {
            GlobalVertex::Jump => self.with_second_returns.clone(),
            GlobalVertex::Thrown => self.with_landing_pads.clone(),
            GlobalVertex::Between(_) => self.outer.clone(),
            GlobalVertex::Outside => self.with_outside.clone(),
            GlobalVertex::HandedOver => self.memory.calls.entries.library.clone(),
            GlobalVertex::AtEnd(_) | GlobalVertex::Ends | GlobalVertex::ExitStatus => {
                self.last.clone()
            }
            GlobalVertex::RunsHandlers => self.handlers.clone(),
            GlobalVertex::Handled => self.with_runs_handlers.clone(),
            GlobalVertex::OtherProcess(_) | GlobalVertex::Started => {
                let all = self.program.defined_functions();
                all.map(|(id, ..)| id).collect()
            }
            GlobalVertex::Anytime(variable) => self.touching(variable),
            GlobalVertex::SeenAnytime(variable) => self.touching_anytime(variable),
        }
    }

    /// Of these functions those that may run at any time.
    fn touching_anytime(&self, variable: Variable) -> Vec<FunctionId> {
        let mut found = self.touching(variable);
        found.retain(|function| self.may_run_anytime(*function));
        found
    }

    /// The function or hub may run at any time, or be called from one that may.
    pub fn may_run_anytime(&self, function: FunctionId) -> bool {
        self.runs_anytime.contains(function.index())
    }

    /// The functions whose instructions touch a variable that others touch uncalled.
    fn touching(&self, variable: Variable) -> Vec<FunctionId> {
        let first = self.touching.partition_point(|row| row.0 < variable);
        let found = self.touching[first..].iter();
        let found = found.take_while(|row| row.0 == variable);
        found.map(|row| row.1).collect()
    }

    /// The functions in which something leads to a global vertex.
    pub fn functions_leading_to(&self, global: GlobalVertex) -> Vec<FunctionId> {
        match global {
            GlobalVertex::Jump => self.with_jumps.clone(),
            GlobalVertex::Thrown => self.with_throws.clone(),
            GlobalVertex::AtEnd(variable) => self.touching(variable),
            GlobalVertex::SeenAnytime(variable) => self.touching(variable),
            GlobalVertex::Anytime(variable) => self.touching_anytime(variable),
            GlobalVertex::Ends => [&self.outer[..], &self.last].concat(),
            GlobalVertex::ExitStatus => self.memory.calls.entries.mains.clone(),
            GlobalVertex::RunsHandlers => self.with_runs_handlers.clone(),
            GlobalVertex::Handled => self.handlers.clone(),
            _ => self.functions_of_global(global),
        }
    }

    /// Where the value of a variable before the program starts comes in.
    pub fn initial_value(&self, global: GlobalId) -> Vec<GlobalVertex> {
        let regions = &self.memory.regions;
        let all = (0..regions.region_count()).map(RegionId::from);
        let own = all.filter(|region| {
            regions.is_shared(*region)
                && regions
                    .allocations(*region)
                    .binary_search(&Allocation::Global(global))
                    .is_ok()
        });
        own.map(Variable::Region)
            .flat_map(|variable| {
                let anytime = self.anytime.touches(variable);
                let anytime = anytime.then_some(GlobalVertex::SeenAnytime(variable));
                let at_end = self.at_end.touches(variable);
                let at_end = at_end.then_some(GlobalVertex::AtEnd(variable));
                [Some(GlobalVertex::Between(variable)), anytime, at_end]
            })
            .flatten()
            .collect()
    }
}

/// Which of the functions that run at any time are more than starts of threads: those begin when
/// they are made, whatever is sent or waited for.
fn handlers(program: &Program, memory: &MemoryModel) -> Vec<FunctionId> {
    let calls = &memory.calls;
    let starts_thread = |external: &FunctionId| {
        let name = program.function_name(*external);
        library().facts(name).starts_thread
    };
    let mut starts: Vec<FunctionId> = Vec::new();
    let mut others: Vec<FunctionId> = Vec::new();
    for site in (0..calls.sites.len()).map(CallSiteId::from) {
        let externals = calls.externals.of(site);
        let is_start = !externals.is_empty()
            && externals.iter().all(starts_thread)
            && !calls.site(site).calls_unmodelled;
        let registered = memory.regions.registered(site).iter();
        let registered = registered.chain(calls.callbacks.of(site));
        match is_start {
            true => starts.extend(registered),
            false => others.extend(registered),
        }
    }
    for list in [&mut starts, &mut others] {
        list.sort_unstable();
        list.dedup();
    }
    let mut found = calls.entries.anytime.clone();
    found.retain(|function| {
        let is_start = starts.binary_search(function).is_ok();
        let is_of_library = calls.entries.library.contains(function);
        others.binary_search(function).is_ok() || !is_start && !is_of_library
    });
    found
}

fn callers(memory: &MemoryModel, hubs: &Hubs) -> Rows<FunctionId> {
    let mut pairs: Vec<(FunctionId, FunctionId)> = Vec::new();
    for (index, row) in memory.calls.sites.iter().enumerate() {
        let site = CallSiteId::from(index);
        let entered = memory.regions.entered(&memory.calls, site);
        let entered = entered.map(|(callee, _)| callee);
        match hubs.of_site(site) {
            None => pairs.extend(entered.map(|callee| (callee, row.caller))),
            Some(hub) => {
                pairs.push((hub, row.caller));
                let others = entered.skip(memory.calls.targets.of(site).len());
                pairs.extend(others.map(|callee| (callee, row.caller)));
            }
        }
    }
    for hub in (0..hubs.node_count()).map(FunctionId::from_index) {
        let targets = hubs.targets(hub).iter();
        pairs.extend(targets.map(|target| (*target, hub)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    Rows::from_pairs(hubs.node_count(), &pairs)
}

/// What can be reached over calls from functions that may run at any time.
fn running_anytime(callers: &Rows<FunctionId>, anytime: &[FunctionId]) -> FixedBitSet {
    let callees = callers.reversed();
    let mut found = FixedBitSet::with_capacity(callers.row_count());
    let mut work: Vec<FunctionId> = anytime.to_vec();
    while let Some(function) = work.pop() {
        if !found.put(function.index()) {
            work.extend(callees.of(function));
        }
    }
    found
}

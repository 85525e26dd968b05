//! What may a function read and write, itself and through all it calls?
//!
//! **Question.** Which regions, and which parts of the world, may a call read and write, and may it
//! not return? The regions that are visible from outside act as further formals of the function
//! (`sem-dcia` §2.2).
//!
//! **Rules.** A function touches what its own instructions touch, and what its callees touch, seen
//! from the call: shared regions are themselves, others are what `regions` binds them to, and the
//! callee's own variables are gone. Functions that call each other have one set.
//!
//! **Soundness.** The sets are closed bottom-up before contexts are counted in, so a region that is
//! an alias in one context is not carried into others; [`ModRef::function`] shows them in the
//! function's own view, where aliases count.
//!
//! **Cost.** Linear in the sizes of the sets, summed over call sites.

mod dump;
mod world_set;

pub use dump::dump_mod_ref;
pub(crate) use dump::world_name;
pub use world_set::WorldSet;

use crate::call_graph::{CallGraph, CallSite, CallSiteId};
use crate::default_actions::DefaultActions;
use crate::redirection::redirects_standard_streams;
use crate::regions::{RegionId, Regions};
use fixedbitset::FixedBitSet;
use knockon_graphs::{NodeSet, Rows, call_edges, components, control_flow};
use knockon_library::{Connection, Library, Return, World};
use knockon_program::{
    Body, Flags, FunctionAttributes, FunctionId, InstructionId, Opcode, Operand, OutOfTime,
    Program, TimeLimit,
};
use std::borrow::Cow;

/// What a function or a call may do to memory and to the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryEffect {
    /// Ascending.
    pub may_read: Vec<RegionId>,
    /// Ascending.
    pub may_write: Vec<RegionId>,
    pub world_reads: WorldSet,
    pub world_writes: WorldSet,
    /// Control may not come back.
    pub may_not_return: bool,
}

/// The effects of all functions and calls, before contexts.
pub struct ModRef {
    component_of: Vec<u32>,
    /// For each component: shared regions and the world. Functions that call each other do the
    /// same to what is shared.
    shared: Vec<MemoryEffect>,
    /// For each component the shared regions that it reads and writes as functions see them:
    /// ascending.
    shared_in_view: Vec<[Vec<RegionId>; 2]>,
    /// For each function: its other regions.
    local: Vec<LocalEffect>,
    /// For each site what its library and unknown callees do to the world, and whether they may
    /// not return.
    site_world: Vec<(WorldSet, WorldSet, bool)>,
    /// For each site: functions that may run at any time run there.
    lets_others_run: FixedBitSet,
}

/// Regions that are not shared, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LocalEffect {
    reads: Vec<RegionId>,
    writes: Vec<RegionId>,
}

pub fn mod_ref(
    program: &Program,
    calls: &CallGraph,
    library: &Library,
    regions: &Regions,
    limit: TimeLimit<'_>,
) -> Result<ModRef, OutOfTime> {
    let lets_others_run = letting_others_run(program, calls, library);
    let components = components(&entered_functions(
        program,
        calls,
        regions,
        &lets_others_run,
    ));
    let mut closing = Closing {
        program,
        calls,
        regions,
        found: ModRef {
            component_of: components.component_of.clone(),
            shared: vec![MemoryEffect::default(); components.count()],
            shared_in_view: Vec::new(),
            local: vec![LocalEffect::default(); program.functions.len()],
            site_world: world_of_sites(program, calls, library, regions),
            lets_others_run,
        },
        marks: Marks::new(regions),
    };
    for component in (0..components.count()).rev() {
        let members = components.members.of(component);
        for function in members {
            closing.touch_local(*function);
        }
        // Regions only ever come in, and each function has finitely many.
        loop {
            let mut changed = false;
            limit.check()?;
            for function in members {
                changed |= closing.close_local(*function);
            }
            if !changed {
                break;
            }
        }
        closing.close_shared(component, members);
    }
    let shared = closing.found.shared.iter();
    let in_view = shared.map(|effect| {
        let touched = [&effect.may_read, &effect.may_write];
        touched.map(|touched| regions.in_view(touched))
    });
    closing.found.shared_in_view = in_view.collect();
    Ok(closing.found)
}

fn entered_functions(
    program: &Program,
    calls: &CallGraph,
    regions: &Regions,
    lets_others_run: &FixedBitSet,
) -> Rows<FunctionId> {
    let mut rows = Rows::with_capacity(program.functions.len(), calls.targets.item_count());
    for function in program.function_ids() {
        let mut row: Vec<FunctionId> = Vec::new();
        for site in calls.sites_of(function) {
            row.extend(regions.entered(calls, site).map(|entered| entered.0));
            if lets_others_run.contains(site.index()) {
                row.extend(&calls.entries.anytime);
            }
        }
        rows.push_row(row);
    }
    rows
}

/// The calls that send signals or wait for others, so that functions which may run at any time run;
/// of a program that may have given the library functions to call, those of the library.
fn letting_others_run(program: &Program, calls: &CallGraph, library: &Library) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(calls.sites.len());
    if calls.entries.anytime.is_empty() {
        return found;
    }
    let extends_library = extends_library(program);
    for site in 0..calls.sites.len() {
        let mut externals = calls.externals.of(CallSiteId::from(site)).iter();
        let lets_run = externals.any(|external| {
            let effect = library.of(program.function_name(*external));
            effect.is_some_and(|effect| {
                effect.world_writes.contains(&World::Processes)
                    || effect.world_reads.contains(&World::Processes)
                    || extends_library && !effect.is_pure()
            })
        });
        found.set(site, lets_run);
    }
    found
}

/// The program may put functions of its own into streams and formats.
fn extends_library(program: &Program) -> bool {
    const EXTENDING: [&str; 5] = [
        "fopencookie",
        "funopen",
        "register_printf_function",
        "register_printf_specifier",
        "register_printf_modifier",
    ];
    let mut ids = program.function_ids();
    ids.any(|id| EXTENDING.contains(&program.function_name(id)))
}

/// Two sets of regions that are filled together.
struct Marks {
    reads: NodeSet,
    writes: NodeSet,
}

impl Marks {
    fn new(regions: &Regions) -> Marks {
        Marks {
            reads: NodeSet::new(regions.region_count()),
            writes: NodeSet::new(regions.region_count()),
        }
    }

    fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    /// Whether the region is new.
    fn insert(&mut self, region: RegionId, writes: bool) -> bool {
        match writes {
            true => self.writes.insert(region),
            false => self.reads.insert(region),
        }
    }
}

impl ModRef {
    /// What the function may do, in its own view.
    pub fn function(&self, regions: &Regions, function: FunctionId) -> MemoryEffect {
        let mut effect = self.shared[self.component_of[function.index()] as usize].clone();
        let local = &self.local[function.index()];
        effect.may_read.extend(&local.reads);
        effect.may_write.extend(&local.writes);
        effect.may_read = regions.in_view(&effect.may_read);
        effect.may_write = regions.in_view(&effect.may_write);
        effect
    }

    /// Whether control may not come back from the function.
    pub fn may_not_return(&self, function: FunctionId) -> bool {
        self.shared[self.component_of[function.index()] as usize].may_not_return
    }

    /// Whether control may not come back from the call.
    pub fn call_may_not_return(&self, calls: &CallGraph, site: CallSiteId) -> bool {
        let callbacks = calls.callbacks.of(site).iter();
        let mut entered = calls.targets.of(site).iter().chain(callbacks);
        self.site_world[site.index()].2 || entered.any(|callee| self.may_not_return(*callee))
    }

    /// What a call may do, in the caller's view: what the instruction does itself, and what its
    /// callees do.
    pub fn call(&self, calls: &CallGraph, regions: &Regions, site: CallSiteId) -> MemoryEffect {
        let mut effect = self.call_beside_shared(calls, regions, site);
        let [read, written] = self.shared_by(&self.entered_components(calls, regions, site));
        for (mine, shared) in [
            (&mut effect.may_read, read),
            (&mut effect.may_write, written),
        ] {
            mine.extend(shared.iter());
            mine.sort_unstable();
            mine.dedup();
        }
        effect
    }

    /// As [`ModRef::call`], without what it does to shared regions through what it lets run. Where
    /// the instruction does so by itself, they are there.
    pub(crate) fn call_beside_shared(
        &self,
        calls: &CallGraph,
        regions: &Regions,
        site: CallSiteId,
    ) -> MemoryEffect {
        let mut effect = MemoryEffect::default();
        let mut add = |region: RegionId, writes: bool| match writes {
            true => effect.may_write.push(region),
            false => effect.may_read.push(region),
        };
        let row = calls.site(site);
        for (list, writes) in regions.touched_by(row.caller, row.instruction) {
            list.iter().for_each(|region| add(*region, writes));
        }
        self.for_each_local(calls, regions, site, &mut add);
        (effect.world_reads, effect.world_writes) = self.call_world(calls, regions, site);
        effect.may_not_return = self.call_may_not_return(calls, site);
        effect.may_read = regions.in_view(&effect.may_read);
        effect.may_write = regions.in_view(&effect.may_write);
        effect
    }

    /// What of the world a call may read, and what it may write.
    pub fn call_world(
        &self,
        calls: &CallGraph,
        regions: &Regions,
        site: CallSiteId,
    ) -> (WorldSet, WorldSet) {
        let (mut reads, mut writes, _) = self.site_world[site.index()];
        for (callee, _) in regions.entered(calls, site) {
            let shared = &self.shared[self.component_of[callee.index()] as usize];
            reads |= shared.world_reads;
            writes |= shared.world_writes;
        }
        (reads, writes)
    }

    /// What of the caller's own regions the callees touch.
    fn for_each_local(
        &self,
        calls: &CallGraph,
        regions: &Regions,
        site: CallSiteId,
        visit: &mut impl FnMut(RegionId, bool),
    ) {
        let caller = calls.site(site).caller;
        for (callee, binding) in regions.entered(calls, site) {
            let local = &self.local[callee.index()];
            for (list, writes) in [(&local.reads, false), (&local.writes, true)] {
                for region in list {
                    if callee == caller {
                        visit(*region, writes);
                    }
                    let there = regions.seen_from_caller(binding, *region);
                    there.for_each(|there| visit(there, writes));
                }
            }
            for (region, writes) in regions.reached_at(binding) {
                visit(*region, *writes);
            }
        }
    }

    /// The components of the functions that a call lets run, ascending.
    pub(crate) fn entered_components(
        &self,
        calls: &CallGraph,
        regions: &Regions,
        site: CallSiteId,
    ) -> Vec<u32> {
        let anytime: &[FunctionId] = match self.lets_others_run.contains(site.index()) {
            true => &calls.entries.anytime,
            false => &[],
        };
        let entered = regions.entered(calls, site).map(|entered| entered.0);
        let mut found: Vec<u32> = entered
            .chain(anytime.iter().copied())
            .map(|function| self.component_of[function.index()])
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The shared regions that these components read and write, as functions see them: ascending.
    pub(crate) fn shared_by(&self, components: &[u32]) -> [Cow<'_, [RegionId]>; 2] {
        [0, 1].map(|manner| match components {
            [] => Cow::Borrowed(&[][..]),
            [one] => Cow::Borrowed(&self.shared_in_view[*one as usize][manner][..]),
            several => {
                let mut all: Vec<RegionId> = Vec::new();
                for component in several {
                    all.extend(&self.shared_in_view[*component as usize][manner]);
                }
                // Each brings an ascending run.
                all.sort();
                all.dedup();
                Cow::Owned(all)
            }
        })
    }
}

struct Closing<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    regions: &'a Regions,
    found: ModRef,
    marks: Marks,
}

impl Closing<'_> {
    /// What the functions of a component do to shared regions and to the world.
    fn close_shared(&mut self, component: usize, members: &[FunctionId]) {
        let mut effect = MemoryEffect::default();
        let marks = &mut self.marks;
        marks.clear();
        let regions = self.regions;
        let mut add = |effect: &mut MemoryEffect, region: RegionId, writes: bool| {
            if regions.is_shared(region) && marks.insert(region, writes) {
                match writes {
                    true => effect.may_write.push(region),
                    false => effect.may_read.push(region),
                }
            }
        };
        for function in members {
            let row = self.program.function(*function);
            let Some(body) = &row.body else { continue };
            for id in body.instruction_ids() {
                for (list, writes) in regions.touched_by(*function, id) {
                    list.iter()
                        .for_each(|region| add(&mut effect, *region, writes));
                }
            }
            for site in self.calls.sites_of(*function) {
                let (world_reads, world_writes, may_not_return) =
                    self.found.site_world[site.index()];
                effect.world_reads |= world_reads;
                effect.world_writes |= world_writes;
                effect.may_not_return |= may_not_return;
                // Those of this very component are still empty.
                for component in self.found.entered_components(self.calls, regions, site) {
                    let shared = &self.found.shared[component as usize];
                    effect.world_reads |= shared.world_reads;
                    effect.world_writes |= shared.world_writes;
                    shared
                        .may_read
                        .iter()
                        .for_each(|region| add(&mut effect, *region, false));
                    shared
                        .may_write
                        .iter()
                        .for_each(|region| add(&mut effect, *region, true));
                }
                for (callee, binding) in regions.entered(self.calls, site) {
                    let local = &self.found.local[callee.index()];
                    for (list, writes) in [(&local.reads, false), (&local.writes, true)] {
                        for region in list {
                            let there = regions.seen_from_caller(binding, *region);
                            there.for_each(|there| add(&mut effect, there, writes));
                        }
                    }
                    for (region, writes) in regions.reached_at(binding) {
                        add(&mut effect, *region, *writes);
                    }
                }
                effect.may_not_return |= self.found.call_may_not_return(self.calls, site);
            }
            effect.may_not_return |=
                row.attributes.has(FunctionAttributes::NO_RETURN) || leaves_by_itself(body);
        }
        effect.may_read.sort_unstable();
        effect.may_write.sort_unstable();
        self.found.shared[component] = effect;
    }

    /// The function's own regions that its instructions touch.
    fn touch_local(&mut self, function: FunctionId) {
        let mut local = LocalEffect::default();
        if let Some(body) = &self.program.function(function).body {
            self.marks.clear();
            for id in body.instruction_ids() {
                for (list, writes) in self.regions.touched_by(function, id) {
                    for region in list {
                        if !self.regions.is_shared(*region) && self.marks.insert(*region, writes) {
                            local.list(writes).push(*region);
                        }
                    }
                }
            }
        }
        self.found.local[function.index()] = local;
    }

    /// Adds what the callees do to the function's own regions; whether there was something new.
    fn close_local(&mut self, function: FunctionId) -> bool {
        let mut local = std::mem::take(&mut self.found.local[function.index()]);
        let before = local.reads.len() + local.writes.len();
        self.marks.clear();
        for (list, writes) in [(&local.reads, false), (&local.writes, true)] {
            for region in list {
                self.marks.insert(*region, writes);
            }
        }
        let mut new: Vec<(RegionId, bool)> = Vec::new();
        for site in self.calls.sites_of(function) {
            self.found
                .for_each_local(self.calls, self.regions, site, &mut |region, writes| {
                    if !self.regions.is_shared(region) && self.marks.insert(region, writes) {
                        new.push((region, writes));
                    }
                });
        }
        for (region, writes) in new {
            local.list(writes).push(region);
        }
        local.reads.sort_unstable();
        local.writes.sort_unstable();
        let changed = before != local.reads.len() + local.writes.len();
        self.found.local[function.index()] = local;
        changed
    }
}

impl LocalEffect {
    fn list(&mut self, writes: bool) -> &mut Vec<RegionId> {
        match writes {
            true => &mut self.writes,
            false => &mut self.reads,
        }
    }
}

fn world_of_sites(
    program: &Program,
    calls: &CallGraph,
    library: &Library,
    regions: &Regions,
) -> Vec<(WorldSet, WorldSet, bool)> {
    // Where a standard stream may be connected anew, what is printed may be read back.
    let redirects = redirects_standard_streams(program, calls, library, regions);
    let default_actions = DefaultActions::new(program, calls);
    let confined = confined_externals(program, calls, library);
    let sites = calls.sites.iter().enumerate();
    sites
        .map(|(index, site)| {
            let mut world = (WorldSet::EMPTY, WorldSet::EMPTY, false);
            let body = program.function(site.caller).body.as_deref();
            let flags = body.map_or(Flags::NONE, |body| body.instruction(site.instruction).flags);
            world.2 = flags.has(Flags::NO_RETURN) || site.exits;
            let enters_confined = directly_called(program, site)
                .is_some_and(|callee| confined.binary_search(&callee).is_ok());
            if site.enters_unknown_code() && !enters_confined {
                world = (WorldSet::ALL, WorldSet::ALL, true);
            }
            for external in calls.externals.of(CallSiteId::from(index)) {
                let attributes = program.function(*external).attributes;
                world.2 |= attributes.has(FunctionAttributes::NO_RETURN);
                let name = program.function_name(*external);
                match library.of(name) {
                    Some(effect) => {
                        let connection = match redirects {
                            true => Connection::Unknown,
                            false => regions.connection(site.caller, site.instruction),
                        };
                        world.0.extend(effect.world_reads_through(connection));
                        world.1.extend(effect.world_writes_through(connection));
                        world.2 |= match effect.return_ {
                            Return::Always | Return::Twice => false,
                            Return::Never => true,
                            Return::Maybe => !body.is_some_and(|body| {
                                default_actions.let_return(program, name, body, site.instruction)
                            }),
                        };
                    }
                    None if attributes.has(FunctionAttributes::READ_NONE) => {
                        world.2 |= !attributes.has(FunctionAttributes::WILL_RETURN);
                    }
                    None if enters_confined => {}
                    None => world = (WorldSet::ALL, WorldSet::ALL, true),
                }
            }
            world
        })
        .collect()
}

/// Functions of unseen code that is confined. It calls what it finds behind pointers, too: so there
/// are none where other unknown code may have put something there, or where the address of a function
/// is taken that has no body and is not plain.
fn confined_externals(program: &Program, calls: &CallGraph, library: &Library) -> Vec<FunctionId> {
    if program.confined.is_empty() || !program.unseen_entries.is_empty() {
        return Vec::new();
    }
    let is_confined = |id: &FunctionId| program.confined.binary_search(id).is_ok();
    let mut unknown = calls.sites.iter().filter(|site| site.enters_unknown_code());
    let is_harmless = |id: &FunctionId| {
        let effect = library.of(program.function_name(*id));
        program.function(*id).body.is_some()
            || is_confined(id)
            || effect.is_some_and(|effect| effect.is_pure() && effect.return_ == Return::Always)
    };
    let is_alone = unknown
        .all(|site| directly_called(program, site).is_some_and(|callee| is_confined(&callee)))
        && call_edges(program).address_taken.iter().all(is_harmless);
    match is_alone {
        true => program.confined.clone(),
        false => Vec::new(),
    }
}

/// The function that the call names.
fn directly_called(program: &Program, site: &CallSite) -> Option<FunctionId> {
    let body = program.function(site.caller).body.as_deref()?;
    match body.callee(site.instruction)? {
        Operand::Constant(callee) => program.called_function(callee),
        Operand::Instruction(_) | Operand::Argument(_) | Operand::Block(_) | Operand::Index(_) => {
            None
        }
    }
}

/// Control may stay in the body or leave it otherwise than by `ret`, without any call's doing.
fn leaves_by_itself(body: &Body) -> bool {
    let flow = control_flow(body);
    let mut returning = NodeSet::new(body.blocks.len());
    let mut work: Vec<_> = body
        .block_ids()
        .filter(|block| opcode(body, body.terminator(*block)) == Opcode::Return)
        .collect();
    for block in &work {
        returning.insert(*block);
    }
    while let Some(block) = work.pop() {
        for before in flow.predecessors.of(block) {
            if returning.insert(*before) {
                work.push(*before);
            }
        }
    }
    let reachable = flow.reverse_postorder.iter();
    reachable.clone().any(|block| !returning.contains(*block))
}

fn opcode(body: &Body, id: InstructionId) -> Opcode {
    body.instruction(id).opcode
}

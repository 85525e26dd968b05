//! What calls give to what they enter, and get back.
//!
//! Functions that code outside may call at any time are not entered by each call that leads outside:
//! one global vertex stands between, since their memory is that of all ([`UncalledMemory`]).
//!
//! Likewise between calls that send signals, or otherwise decide whether handlers run, and those.
//!
//! [`UncalledMemory`]: super::program_graph::UncalledMemory

use super::building::Builder;
use super::{EnteredRow, GlobalVertex, Layout, Vertex, region_of};
use knockon_graphs::Rows;
use knockon_library::{World, library as c_library};
use knockon_memory::memory_ssa::{DefinitionId, Variable};
use knockon_memory::regions::BindingId;
use knockon_program::{FunctionAttributes, FunctionId, InstructionId, Type, observed_memory};
use rustc_hash::FxHashMap;

/// The connections of one function with what it enters.
pub(super) struct Ports {
    pub(super) entered: Vec<EnteredRow>,
    pub(super) gives: Rows<(u32, u32)>,
    pub(super) gets: Rows<(u32, Vertex)>,
}

pub(super) fn calls(builder: &mut Builder) -> Ports {
    let mut entered: Vec<(EnteredRow, Option<BindingId>)> = Vec::new();
    let memory = builder.whole.memory;
    // What code that is not seen calls at the end, it does not call before: it hands over nothing.
    let whole = builder.whole;
    let runs_last = whole.program.stands_for_unseen_code(builder.function)
        && whole.last.contains(&builder.function)
        && !whole.is_anytime(builder.function);
    for (call, site) in builder.sites.iter().enumerate() {
        let call = call as u32;
        let targets = memory.calls.targets.of(*site).len();
        let called = targets + memory.calls.callbacks.of(*site).len();
        let hub = builder.whole.hubs.of_site(*site);
        entered.extend(hub.map(|hub| {
            let row = EnteredRow {
                callee: hub,
                call,
                through_library: false,
                is_registered: false,
            };
            (row, None)
        }));
        let rows = memory.regions.entered(&memory.calls, *site).enumerate();
        let mut calls_outside = false;
        for (number, (callee, binding)) in rows {
            let through_library = number >= targets;
            if through_library && builder.whole.is_anytime(callee) && !runs_last {
                calls_outside = true;
            } else if through_library || hub.is_none() {
                let row = EnteredRow {
                    callee,
                    call,
                    through_library,
                    is_registered: number >= called,
                };
                entered.push((row, Some(binding)));
            }
        }
        if builder.whole.runs_handlers(*site) {
            let library = builder.layout.library(call);
            builder
                .to_global
                .push((library, GlobalVertex::RunsHandlers));
            builder.from_global.push((GlobalVertex::Handled, library));
        }
        if runs_last {
            let library = builder.layout.library(call);
            builder.from_global.push((GlobalVertex::Outside, library));
        }
        if calls_outside {
            let library = builder.layout.library(call);
            builder.to_global.push((library, GlobalVertex::Outside));
            builder.from_global.push((GlobalVertex::Outside, library));
        }
    }
    entered.sort_by_key(|(row, binding)| (row.callee, row.call, *binding));
    let mut gives: Vec<(Vertex, (u32, u32))> = Vec::new();
    let mut gets: Vec<(usize, (u32, Vertex))> = Vec::new();
    for call in 0..builder.sites.len() as u32 {
        builder.call(call);
    }
    let mut known = FxHashMap::default();
    for (number, (row, binding)) in entered.iter().enumerate() {
        let pairs = builder.class_pairs(*row, *binding, &mut known);
        builder.connect(number as u32, *row, &pairs, &mut gives, &mut gets);
    }
    gets.sort_unstable();
    gets.dedup();
    Ports {
        gives: Rows::from_pairs(builder.layout.vertex_count(), &gives),
        gets: Rows::from_pairs(entered.len(), &gets),
        entered: entered.into_iter().map(|row| row.0).collect(),
    }
}

/// Two processes share it.
fn is_common(part: World) -> bool {
    matches!(part, World::Files | World::Input | World::Processes)
}

impl Builder<'_> {
    /// A call observes its operands, its result, and whether it comes back. It happens as control comes
    /// to it, and enters what its callee operand says; all that it gives follows from that. Library
    /// code gives what follows from its arguments and from the memory that it reads, and of that the call
    /// observes some ([`observed_memory`]).
    fn call(&mut self, call: u32) {
        let layout = self.layout;
        let id = self.call_instructions[call as usize];
        let site = self.sites[call as usize];
        let memory = self.whole.memory;
        let node = layout.node(id);
        let occurrence = layout.occurrence(call);
        let library = layout.library(call);
        self.edge(self.control_of(id), occurrence);
        if let Some(callee) = self.body.callee(id).and_then(|callee| self.value(callee)) {
            self.edge(callee, occurrence);
        }
        let may_not_return = memory.mod_ref.call_may_not_return(&memory.calls, site);
        self.edge(layout.returns(call), node);
        let result = self.body.instruction(id).type_id;
        if !matches!(self.whole.program.type_of(result), Type::Void) {
            self.edge(layout.result(call), node);
        }
        let externals = memory.calls.externals.of(site);
        let unmodelled = memory.calls.site(site).calls_unmodelled;
        let observed = observed_memory(self.whole.program, self.body, id);
        let enters_library =
            !externals.is_empty() || unmodelled || memory.calls.targets.of(site).is_empty();
        // Inline assembly and by-value copies are the instruction's own doing, too.
        if enters_library || !observed.by_value.is_empty() {
            let arguments: Vec<Vertex> = self
                .body
                .arguments(id)
                .iter()
                .filter_map(|argument| self.value(*argument))
                .collect();
            for argument in arguments {
                self.edge(argument, library);
            }
            self.edge(occurrence, library);
            self.library_reads(call, id, library);
        }
        if !observed.is_nothing() {
            self.edge(library, node);
        }
        if enters_library {
            self.edge(library, layout.result(call));
            if may_not_return {
                self.edge(library, layout.returns(call));
            }
        }
        for made in self.memory.ssa.defines.of(id) {
            self.edge(occurrence, layout.definition(*made));
            if enters_library {
                self.edge(library, layout.definition(*made));
            }
        }
        self.edge(occurrence, layout.result(call));
        if may_not_return {
            self.edge(occurrence, layout.returns(call));
        }
        for external in externals {
            let function = self.whole.program.function(*external);
            let name = self.whole.program.name(function.name);
            if c_library().facts(name).jumps {
                self.edge(node, layout.jumps());
                self.edge(occurrence, layout.jumps());
            }
            if !function.attributes.has(FunctionAttributes::NO_UNWIND) {
                self.to_global.push((library, GlobalVertex::Thrown));
            }
        }
    }

    /// The library's part of a call reads memory and the world.
    fn library_reads(&mut self, call: u32, id: InstructionId, library: Vertex) {
        let layout = self.layout;
        let site = self.sites[call as usize];
        let seen: Vec<DefinitionId> = self.memory.ssa.uses.of(id).to_vec();
        for definition in seen {
            for from in self.content(definition) {
                self.edge(from, library);
            }
        }
        let memory = self.whole.memory;
        let (reads, writes) = (memory.mod_ref).call_world(&memory.calls, &memory.regions, site);
        if self.whole.are_several {
            let library = layout.library(call);
            if memory.processes.may_start_program(site) {
                self.to_global.push((library, GlobalVertex::Started));
            }
            if [World::Environment, World::Settings]
                .iter()
                .any(|part| reads.contains(*part))
            {
                self.from_global.push((GlobalVertex::Started, library));
            }
            let externals = memory.calls.externals.of(site).iter();
            let mut names = externals.map(|external| self.whole.program.function_name(*external));
            let looks = names.len() == 0
                || names.any(|name| !c_library().facts(name).needs_no_other_process);
            for part in reads.iter().filter(|part| looks && is_common(*part)) {
                self.from_global
                    .push((GlobalVertex::OtherProcess(part), library));
            }
            for part in writes.iter().filter(|part| is_common(*part)) {
                self.to_global
                    .push((library, GlobalVertex::OtherProcess(part)));
            }
        }
        for part in reads.iter() {
            self.reads_uncalled(Variable::World(part), layout.library(call));
        }
        for part in writes.iter() {
            self.writes_uncalled(Variable::World(part), layout.library(call));
        }
    }

    /// The callee gets the arguments as parameters and the memory that it reads; the call gets what
    /// the callee returns and writes. Where library code calls back, it gives and gets that.
    fn connect(
        &mut self,
        number: u32,
        row: EnteredRow,
        pairs: &[(u32, u32)],
        gives: &mut Vec<(Vertex, (u32, u32))>,
        gets: &mut Vec<(usize, (u32, Vertex))>,
    ) {
        let layout = self.layout;
        let id = self.call_instructions[row.call as usize];
        let parameters = match self.whole.hubs.is_hub(row.callee) {
            true => (self.whole.hubs).parameter_count(self.whole.program, row.callee),
            false => self.whole.program.function(row.callee).parameters.len() as u32 + 1,
        };
        let class_input = |class: u32| 1 + parameters + class;
        gives.push((layout.occurrence(row.call), (number, 0)));
        let library = layout.library(row.call);
        if row.through_library {
            for input in 0..=parameters {
                gives.push((library, (number, input)));
            }
            if row.is_registered {
                // Its memory is that of the end, and nothing comes back here.
                return;
            }
            gets.push((number as usize, (0, library)));
        } else {
            for (at, argument) in self.body.arguments(id).iter().enumerate() {
                let input = 1 + (at as u32).min(parameters - 1);
                if let Some(value) = self.value(*argument) {
                    gives.push((value, (number, input)));
                }
            }
            for copied in self.body.by_value_arguments_of(id) {
                let input = 1 + copied.argument.min(parameters - 1);
                gives.push((library, (number, input)));
            }
            gets.push((number as usize, (0, layout.result(row.call))));
        }
        gets.push((number as usize, (1, layout.returns(row.call))));
        gets.push((number as usize, (2, layout.jumps())));
        let uses: Vec<(u32, DefinitionId)> = self.by_class(self.memory.ssa.uses.of(id));
        let defines: Vec<(u32, DefinitionId)> = self.by_class(self.memory.ssa.defines.of(id));
        let find = |table: &[(u32, DefinitionId)], class: u32| {
            let found = table.binary_search_by_key(&class, |row| row.0).ok()?;
            Some(table[found].1)
        };
        for (here, there) in pairs.iter().copied() {
            if let Some(seen) = find(&uses, here) {
                for from in self.content(seen) {
                    gives.push((from, (number, class_input(there))));
                }
            }
            if let Some(made) = find(&defines, here) {
                let output = Layout::output_of_class(there);
                gets.push((number as usize, (output, layout.definition(made))));
                if row.through_library {
                    // What an earlier call back wrote, or the library.
                    gives.push((layout.definition(made), (number, class_input(there))));
                }
            }
        }
    }

    /// Which classes of the caller may be which of the callee at a call: memory that all functions
    /// share is itself, other regions are what the call binds them to. The first part is the same
    /// at all calls of a callee.
    fn class_pairs(
        &self,
        row: EnteredRow,
        binding: Option<BindingId>,
        known: &mut FxHashMap<FunctionId, Vec<(u32, u32)>>,
    ) -> Vec<(u32, u32)> {
        let regions = &self.whole.memory.regions;
        let Some(there) = self.whole.memory_of(row.callee) else {
            return Vec::new();
        };
        let shared = known.entry(row.callee).or_insert_with(|| {
            let is_shared = |variable: Variable| {
                region_of(variable).is_none_or(|region| regions.is_shared(region))
            };
            let calls_itself = row.callee == self.function;
            let all = there.class_of.iter();
            // What a function touches that may run at any time flows over global vertices.
            let runs_anytime = self.whole.may_run_anytime(row.callee);
            let by_call =
                all.filter(|(variable, _)| !runs_anytime || !self.whole.anytime.touches(*variable));
            let shared = by_call.filter(|(variable, _)| calls_itself || is_shared(*variable));
            let mut pairs: Vec<(u32, u32)> = shared
                .filter_map(|(variable, class)| Some((self.memory.class(*variable)?, *class)))
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs
        });
        let mut pairs = shared.clone();
        let mut bind = |binding: BindingId, calls_itself: bool| {
            for (inside, outside) in regions.bound_regions(binding) {
                let inside_class = there.class(Variable::Region(inside));
                let here = self.memory.class(Variable::Region(outside));
                pairs.extend(here.zip(inside_class));
                if calls_itself {
                    let here = self.memory.class(Variable::Region(inside));
                    pairs.extend(here.zip(inside_class));
                }
            }
        };
        match binding {
            Some(binding) => bind(binding, false),
            None => {
                let site = self.sites[row.call as usize];
                let calls = &self.whole.memory.calls;
                let targets = calls.targets.of(site).len();
                for (callee, binding) in regions.entered(calls, site).take(targets) {
                    bind(binding, callee == self.function);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn by_class(&self, definitions: &[DefinitionId]) -> Vec<(u32, DefinitionId)> {
        let class = |id: &DefinitionId| self.memory.ssa.definitions[usize::from(*id)].variable.0;
        let mut rows: Vec<(u32, DefinitionId)> =
            definitions.iter().map(|id| (class(id), *id)).collect();
        rows.sort_unstable();
        rows
    }
}

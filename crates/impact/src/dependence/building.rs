//! The edges inside one function.

use super::calls::calls;
use super::function_memory::FunctionMemory;
use super::program_graph::ProgramDependence;
use super::{FunctionDependence, GlobalVertex, Layout, Vertex};
use knockon_graphs::{
    ControlDependence, Rows, SegmentId, SegmentedFlow, control_dependence, control_flow,
    segmented_flow,
};
use knockon_library::World;
use knockon_memory::call_graph::CallSiteId;
use knockon_memory::memory_ssa::{DefinitionId, DefinitionKind, Variable};
use knockon_memory::regions::Allocation;
use knockon_program::{
    BlockId, Body, FunctionId, InstructionId, Opcode, Operand, ParameterAttributes,
    observed_operands,
};

/// A graph that grows.
pub(super) struct Builder<'a> {
    pub(super) whole: &'a ProgramDependence<'a>,
    pub(super) function: FunctionId,
    pub(super) body: &'a Body,
    pub(super) memory: &'a FunctionMemory,
    pub(super) layout: Layout,
    pub(super) flow: SegmentedFlow,
    pub(super) segment_of: Vec<u32>,
    /// The call sites in order.
    pub(super) sites: Vec<CallSiteId>,
    pub(super) call_instructions: Vec<InstructionId>,
    pub(super) edges: Vec<(Vertex, Vertex)>,
    pub(super) to_global: Vec<(Vertex, GlobalVertex)>,
    pub(super) from_global: Vec<(GlobalVertex, Vertex)>,
}

/// `None` for a function without a body.
pub(super) fn build(whole: &ProgramDependence, function: FunctionId) -> Option<FunctionDependence> {
    let row = whole.program.function(function);
    let body = row.body.as_deref()?;
    let memory = whole.memory_of(function)?;
    let calls_of = &whole.memory.calls;
    let sites: Vec<CallSiteId> = calls_of.sites_of(function).collect();
    let call_instructions: Vec<InstructionId> = sites
        .iter()
        .map(|site| calls_of.site(*site).instruction)
        .collect();
    let flow = segmented_flow(body, &control_flow(body), |call| {
        let site = calls_of.site_of(function, call);
        site.is_some_and(|site| whole.memory.mod_ref.call_may_not_return(calls_of, site))
    });
    let layout = Layout {
        instructions: body.instructions.len() as u32,
        calls: sites.len() as u32,
        definitions: memory.ssa.definitions.len() as u32,
        segments: flow.segments.len() as u32,
        blocks: body.blocks.len() as u32,
        parameters: row.parameters.len() as u32 + 1,
        classes: memory.members.row_count() as u32,
    };
    let mut segment_of = Vec::with_capacity(body.instructions.len());
    for (number, segment) in flow.segments.iter().enumerate() {
        segment_of.resize(segment.end.index(), number as u32);
    }
    let mut builder = Builder {
        whole,
        function,
        body,
        memory,
        layout,
        flow,
        segment_of,
        sites,
        call_instructions,
        edges: Vec::with_capacity(body.instructions.len() * 4),
        to_global: Vec::new(),
        from_global: Vec::new(),
    };
    let dependence = control_dependence(&builder.flow);
    builder.control(&dependence);
    builder.values();
    builder.memory();
    builder.results();
    builder.outside();
    let ports = calls(&mut builder);
    let Builder {
        edges,
        mut to_global,
        mut from_global,
        call_instructions,
        ..
    } = builder;
    to_global.sort_unstable();
    to_global.dedup();
    from_global.sort_unstable();
    from_global.dedup();
    Some(FunctionDependence {
        function,
        layout,
        edges: Rows::from_pairs(layout.vertex_count(), &edges),
        entered: ports.entered,
        gives: ports.gives,
        gets: ports.gets,
        to_global,
        from_global,
        call_instructions,
    })
}

/// What a program is given when it starts, beside the arguments of `main`.
const ENVIRONMENT: [&str; 3] = ["arguments", "environ", "environment"];

impl Builder<'_> {
    pub(super) fn edge(&mut self, from: Vertex, to: Vertex) {
        self.edges.push((from, to));
    }

    pub(super) fn call_number(&self, id: InstructionId) -> Option<u32> {
        let found = self.call_instructions.binary_search(&id).ok()?;
        Some(found as u32)
    }

    /// The vertex of an operand's value, if it may differ by itself.
    pub(super) fn value(&self, operand: Operand) -> Option<Vertex> {
        match operand {
            Operand::Instruction(id) => Some(match self.call_number(id) {
                Some(call) => self.layout.result(call),
                None => self.layout.node(id),
            }),
            Operand::Argument(number) => Some(self.layout.parameter(number)),
            Operand::Constant(_) | Operand::Block(_) | Operand::Index(_) => None,
        }
    }

    /// What decides at a branch: its condition; for a call whether it comes back.
    fn deciding(&self, branch: InstructionId) -> Vertex {
        match self.call_number(branch) {
            Some(call) => self.layout.returns(call),
            None => self.layout.node(branch),
        }
    }

    pub(super) fn control_of(&self, id: InstructionId) -> Vertex {
        self.layout.control(self.segment_of[id.index()])
    }

    /// An instruction runs as often as control comes to it. Control comes to it as the branches
    /// decide that it depends on, and as often as the function is entered.
    ///
    /// The phis of a block have another operand when control comes from elsewhere, which the
    /// branches decide that its incoming edges depend on.
    fn control(&mut self, dependence: &ControlDependence) {
        let layout = self.layout;
        for segment in 0..layout.segments {
            let control = layout.control(segment);
            self.edge(layout.entered(), control);
            for edge in dependence.controlling(SegmentId(segment)) {
                self.edge(self.deciding(edge.branch), control);
            }
            let row = self.flow.segment(SegmentId(segment));
            for id in (row.first.0..row.end.0).map(InstructionId) {
                self.edge(control, layout.node(id));
            }
        }
        let phi_blocks: Vec<BlockId> = self.blocks_with_phis();
        for block in phi_blocks {
            let before: Vec<BlockId> = self.predecessors(block);
            for from in before {
                for edge in dependence.controlling_edge(&self.flow, from, block) {
                    self.edge(self.deciding(edge.branch), layout.join(block));
                }
            }
        }
    }

    fn blocks_with_phis(&self) -> Vec<BlockId> {
        let body = self.body;
        let first = |block: &BlockId| body.instruction(body.block(*block).first).opcode;
        let mut found: Vec<BlockId> = body
            .block_ids()
            .filter(|block| first(block) == Opcode::Phi)
            .collect();
        for definition in &self.memory.ssa.definitions {
            if let DefinitionKind::Phi(block) = definition.kind {
                found.push(block);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn predecessors(&self, block: BlockId) -> Vec<BlockId> {
        let before = self.flow.predecessors.of(self.flow.first_of(block)).iter();
        let mut before: Vec<BlockId> = before
            .map(|segment| self.flow.segment(*segment).block)
            .collect();
        before.dedup();
        before
    }

    /// An instruction observes its operands; its value follows from them.
    fn values(&mut self) {
        let layout = self.layout;
        for block in self.body.block_ids() {
            for id in self.body.instructions_of(block) {
                let opcode = self.body.instruction(id).opcode;
                for operand in observed_operands(self.body, id) {
                    if let Some(value) = self.value(operand) {
                        self.edge(value, layout.node(id));
                    }
                }
                if opcode == Opcode::Phi {
                    self.edge(layout.join(block), layout.node(id));
                }
            }
        }
    }

    /// The definitions whose content an instruction sees that sees this one: what this function
    /// wrote, and what the caller left unless all of it was overwritten.
    pub(super) fn content(&self, definition: DefinitionId) -> impl Iterator<Item = Vertex> + use<> {
        let layout = self.layout;
        let variable = self.memory.ssa.definitions[usize::from(definition)].variable;
        let is_entry = definition.0 < layout.classes;
        let sees_entry = self.memory.sees_entry[usize::from(definition)];
        let entry = (is_entry || sees_entry).then(|| layout.entry(variable.0));
        let own = (!is_entry).then(|| layout.definition(definition));
        entry.into_iter().chain(own)
    }

    fn written(&self, definition: DefinitionId) -> Option<Vertex> {
        let is_entry = definition.0 < self.layout.classes;
        (!is_entry).then(|| self.layout.definition(definition))
    }

    /// A read sees what was written; what is written follows from the instruction that writes; a
    /// definition that passes on holds what the one before held; where ways join, what comes from
    /// them, and from where control comes.
    fn memory(&mut self) {
        let layout = self.layout;
        let ssa = &self.memory.ssa;
        for id in self.body.instruction_ids() {
            let opcode = self.body.instruction(id).opcode;
            if opcode.is_call() || opcode.leaves_function() {
                continue;
            }
            for seen in ssa.uses.of(id) {
                for from in self.content(*seen) {
                    self.edge(from, layout.node(id));
                }
            }
            for made in ssa.defines.of(id) {
                self.edge(layout.node(id), layout.definition(*made));
            }
        }
        for (index, definition) in ssa.definitions.iter().enumerate() {
            let id = DefinitionId::from(index);
            let here = layout.definition(id);
            match definition.kind {
                DefinitionKind::Entry => {}
                DefinitionKind::Phi(block) => {
                    self.edge(layout.join(block), here);
                    for (_, from) in ssa.incoming.of(id) {
                        if let Some(from) = self.written(*from) {
                            self.edge(from, here);
                        }
                    }
                }
                DefinitionKind::Write { passes_on, .. } => {
                    if let Some(before) = passes_on.and_then(|before| self.written(before)) {
                        self.edge(before, here);
                    }
                }
                DefinitionKind::SecondReturn { .. } => {
                    // Whatever was written when control came back.
                    for (other, row) in ssa.definitions.iter().enumerate() {
                        let is_other = other != index && row.variable == definition.variable;
                        if let Some(from) = self.written(DefinitionId::from(other))
                            && is_other
                        {
                            self.edge(from, here);
                        }
                    }
                }
            }
        }
        self.by_value_memory();
    }

    /// The memory of a by-value parameter, and of variadic arguments, holds what is passed.
    fn by_value_memory(&mut self) {
        let function = self.whole.program.function(self.function);
        let parameters = self.layout.parameters;
        for class in 0..self.layout.classes {
            let members = self.memory.members.of(class as usize).iter();
            let regions: Vec<_> = members.filter_map(|row| super::region_of(*row)).collect();
            for region in regions {
                for allocation in self.whole.memory.regions.allocations(region) {
                    let Allocation::Parameter(owner, number) = allocation else {
                        continue;
                    };
                    if *owner == self.function {
                        let from = self.layout.parameter((*number).min(parameters - 1));
                        self.edge(from, self.layout.entry(class));
                    }
                }
            }
        }
        for (number, parameter) in function.parameters.iter().enumerate() {
            if parameter.attributes.has(ParameterAttributes::IN_ALLOCA) {
                let from = self.layout.parameter(number as u32);
                for class in 0..self.layout.classes {
                    self.edge(from, self.layout.entry(class));
                }
            }
        }
    }

    /// The function returns what its `ret` gives, and memory as it is there; which of several is
    /// reached, branches decide. It may not return where a call does not, or control leaves.
    fn results(&mut self) {
        let layout = self.layout;
        let ends: Vec<InstructionId> = self
            .body
            .block_ids()
            .map(|block| self.body.terminator(block))
            .filter(|id| self.body.instruction(*id).opcode.leaves_function())
            .collect();
        for end in &ends {
            self.edge(layout.node(*end), layout.return_value());
            if self.body.instruction(*end).opcode == Opcode::Resume {
                self.edge(self.control_of(*end), layout.leaves());
                self.to_global
                    .push((layout.node(*end), GlobalVertex::Thrown));
            }
            for seen in self.memory.ssa.uses.of(*end) {
                let class = self.memory.ssa.definitions[usize::from(*seen)].variable;
                if let Some(from) = self.written(*seen) {
                    self.edge(from, layout.output(class.0));
                    if ends.len() > 1 {
                        self.edge(self.control_of(*end), layout.output(class.0));
                    }
                }
            }
        }
        // What jumps or throws leaves memory as it is there, which some caller goes on with.
        if !self.flow.leaving.is_empty() && self.whole.may_come_back_elsewhere() {
            for (index, definition) in self.memory.ssa.definitions.iter().enumerate() {
                if let Some(from) = self.written(DefinitionId::from(index)) {
                    self.edge(from, layout.output(definition.variable.0));
                }
            }
        }
        let leaving = self.flow.leaving.clone();
        for segment in leaving {
            let last = self.flow.segment(segment).last();
            self.edge(self.control_of(last), layout.leaves());
            self.edge(self.deciding(last), layout.leaves());
        }
        for block in self.body.block_ids() {
            let end = self.body.terminator(block);
            if self.body.instruction(end).opcode == Opcode::Unreachable {
                self.edge(self.control_of(end), layout.leaves());
            }
        }
    }

    /// What comes from outside of the function without a call: memory between the functions that
    /// the outside calls, memory that others touch at any time, exceptions, second returns.
    fn outside(&mut self) {
        let layout = self.layout;
        if self.whole.outer.contains(&self.function) {
            let entries = &self.whole.memory.calls.entries;
            let is_library = !entries.library.is_empty();
            let is_main = entries.mains.contains(&self.function);
            for (variable, class) in &self.memory.class_of {
                let regions = &self.whole.memory.regions;
                let is_own =
                    super::region_of(*variable).is_some_and(|region| !regions.is_shared(region));
                let is_visible = super::region_of(*variable)
                    .is_none_or(|region| regions.is_visible(self.function, region));
                if !is_visible {
                    continue;
                }
                let between = match is_own && is_library {
                    true => GlobalVertex::HandedOver,
                    false => GlobalVertex::Between(*variable),
                };
                self.from_global.push((between, layout.entry(*class)));
                // Nothing is called from outside after `main` but what runs at any time.
                if !is_main {
                    self.to_global.push((layout.output(*class), between));
                }
            }
        }
        if self.whole.outer.contains(&self.function)
            && !self.whole.memory.processes.starting.is_empty()
        {
            let inputs = (0..layout.parameters).map(|number| layout.parameter(number));
            let inputs = inputs.chain([layout.entered()]);
            self.from_global
                .extend(inputs.map(|vertex| (GlobalVertex::Started, vertex)));
            let regions = &self.whole.memory.regions;
            let is_environment = |allocation: &Allocation| matches!(allocation, Allocation::Library(name) if ENVIRONMENT.contains(name));
            for (variable, class) in &self.memory.class_of {
                let region = super::region_of(*variable);
                if region
                    .is_some_and(|region| regions.allocations(region).iter().any(is_environment))
                {
                    self.from_global
                        .push((GlobalVertex::Started, layout.entry(*class)));
                }
            }
        }
        let is_last = self.whole.last.contains(&self.function);
        if is_last || self.whole.outer.contains(&self.function) {
            self.to_global.push((layout.leaves(), GlobalVertex::Ends));
        }
        let mains = &self.whole.memory.calls.entries.mains;
        if mains.contains(&self.function) {
            self.to_global
                .push((layout.return_value(), GlobalVertex::ExitStatus));
            if self.whole.are_several {
                let ended = GlobalVertex::OtherProcess(World::Processes);
                self.to_global.push((layout.return_value(), ended));
                self.to_global.push((layout.leaves(), ended));
            }
        }
        if is_last {
            self.from_global
                .push((GlobalVertex::Ends, layout.entered()));
            if self.whole.is_given_exit_status(self.function) {
                self.from_global
                    .push((GlobalVertex::ExitStatus, layout.parameter(0)));
            }
            for (variable, class) in &self.memory.class_of {
                let at_end = GlobalVertex::AtEnd(*variable);
                self.from_global.push((at_end, layout.entry(*class)));
                self.to_global.push((layout.output(*class), at_end));
            }
        }
        if self.whole.is_anytime(self.function) {
            self.to_global.push((layout.jumps(), GlobalVertex::Jump));
        }
        if self.whole.handlers.binary_search(&self.function).is_ok() {
            let inputs = (0..layout.parameters).map(|number| layout.parameter(number));
            let inputs = inputs.chain([layout.entered()]);
            self.from_global
                .extend(inputs.map(|vertex| (GlobalVertex::RunsHandlers, vertex)));
            self.to_global
                .push((layout.leaves(), GlobalVertex::Handled));
        }
        if self.whole.leads_outside && self.whole.is_anytime(self.function) {
            let regions = &self.whole.memory.regions;
            let own = self.memory.class_of.iter().filter(|(variable, _)| {
                super::region_of(*variable).is_some_and(|region| {
                    !regions.is_shared(region) && regions.is_visible(self.function, region)
                })
            });
            let own: Vec<u32> = own.map(|row| row.1).collect();
            let inputs = (0..layout.parameters).map(|number| layout.parameter(number));
            let inputs = inputs.chain([layout.entered()]);
            let inputs = inputs.chain(own.iter().map(|class| layout.entry(*class)));
            let gives_value = self.body.block_ids().any(|block| {
                let end = self.body.terminator(block);
                let opcode = self.body.instruction(end).opcode;
                opcode == Opcode::Return && !self.body.operands(end).is_empty()
            });
            let value = gives_value.then(|| layout.return_value());
            let outputs = value.into_iter().chain([layout.leaves()]);
            let outputs = outputs.chain(own.iter().map(|class| layout.output(*class)));
            let outside = GlobalVertex::Outside;
            self.from_global
                .extend(inputs.map(|vertex| (outside, vertex)));
            self.to_global
                .extend(outputs.map(|vertex| (vertex, outside)));
        }
        for id in self.body.instruction_ids() {
            let opcode = self.body.instruction(id).opcode;
            if opcode == Opcode::LandingPad {
                self.from_global
                    .push((GlobalVertex::Thrown, layout.node(id)));
            }
            // What a call touches through its callees is theirs; through the library, its own.
            let here = match self.call_number(id) {
                Some(call) => layout.library(call),
                None => layout.node(id),
            };
            let own = self.whole.memory.regions.function(self.function);
            for region in own.may_read(id) {
                self.reads_uncalled(Variable::Region(*region), here);
            }
            for region in own.may_write(id) {
                self.writes_uncalled(Variable::Region(*region), here);
            }
        }
        self.second_returns();
    }

    /// A read sees what functions leave that may run at any time; such a function's, what any leaves.
    pub(super) fn reads_uncalled(&mut self, variable: Variable, here: Vertex) {
        if self.whole.anytime.touches(variable) {
            self.from_global
                .push((GlobalVertex::Anytime(variable), here));
            if self.whole.may_run_anytime(self.function) {
                self.from_global
                    .push((GlobalVertex::SeenAnytime(variable), here));
            }
        }
    }

    /// Likewise for writes; and what runs at the end sees them all.
    pub(super) fn writes_uncalled(&mut self, variable: Variable, here: Vertex) {
        if self.whole.anytime.touches(variable) {
            self.to_global
                .push((here, GlobalVertex::SeenAnytime(variable)));
            if self.whole.may_run_anytime(self.function) {
                self.to_global.push((here, GlobalVertex::Anytime(variable)));
            }
        }
        if self.whole.at_end.touches(variable) {
            self.to_global.push((here, GlobalVertex::AtEnd(variable)));
        }
    }

    /// A `setjmp` comes back when something jumps: then all that follows it runs again, on memory
    /// as it is then.
    fn second_returns(&mut self) {
        let layout = self.layout;
        let flags = knockon_program::Flags::RETURNS_TWICE;
        let twice: Vec<InstructionId> = self
            .body
            .instruction_ids()
            .filter(|id| self.body.instruction(*id).flags.has(flags))
            .collect();
        for id in twice {
            let Some(call) = self.call_number(id) else {
                continue;
            };
            self.edge(layout.jumps(), layout.occurrence(call));
            self.from_global
                .push((GlobalVertex::Jump, layout.occurrence(call)));
            let mut reached = vec![false; layout.segments as usize];
            let mut work = vec![SegmentId(self.segment_of[id.index()])];
            while let Some(segment) = work.pop() {
                if !std::mem::replace(&mut reached[usize::from(segment)], true) {
                    self.edge(layout.occurrence(call), layout.control(segment.0));
                    work.extend(self.flow.successors.of(segment));
                }
            }
        }
    }
}

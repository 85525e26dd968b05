//! The edges of one run, from its history and the program's text.

use super::function_control::FunctionControl;
use super::{DynamicDependence, DynamicVertex, PER_CALL};
use knockon_graphs::{Rows, SegmentId};
use knockon_interpreter::{ActivationId, Entry, History, Landing, OccurrenceId};
use knockon_library::{World, library};
use knockon_memory::memory_model::MemoryModel;
use knockon_program::{
    BlockId, Body, FunctionId, InstructionId, Opcode, Operand, Program, Type, TypeId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The parts of the world that a library call reads and writes.
type WorldParts = (Vec<World>, Vec<World>);
type Sources = SmallVec<[DynamicVertex; 8]>;

/// A graph that grows.
struct Builder<'a> {
    program: &'a Program,
    model: &'a MemoryModel,
    history: &'a History,
    graph: DynamicDependence,
    late: Vec<(DynamicVertex, DynamicVertex)>,
    controls: Vec<Option<Box<FunctionControl>>>,
    /// The calls in progress, outermost first.
    live: Vec<Live>,
    /// The vertex of each part of the world.
    world: FxHashMap<World, DynamicVertex>,
    world_parts: FxHashMap<(FunctionId, InstructionId, FunctionId), WorldParts>,
    /// Rows of the history that were passed.
    reads: usize,
    library_calls: usize,
    landings: usize,
}

/// A call in progress.
struct Live {
    activation: ActivationId,
    function: FunctionId,
    entry: Entry,
    /// What control comes from where no branch decides.
    called_by: Option<DynamicVertex>,
    parameters: SmallVec<[Option<DynamicVertex>; 4]>,
    /// By instruction: the vertex of its latest value.
    values: Vec<Option<DynamicVertex>>,
    /// By instruction: its latest occurrence.
    latest: Vec<Option<OccurrenceId>>,
    /// The `longjmp` that came back here last.
    landed: Option<OccurrenceId>,
    /// Where control is, and what it came from; no segment before the first and after each branch.
    segment: Option<SegmentId>,
    control: Option<DynamicVertex>,
    /// The block that control came from, and what control had come from there.
    from: Option<BlockId>,
    from_control: Option<DynamicVertex>,
    /// Phis of the block that begins: all read before any is written.
    phis: Vec<(InstructionId, OccurrenceId)>,
}

/// The dependences of a run of the program, which is promoted.
pub fn dynamic_dependence(
    program: &Program,
    model: &MemoryModel,
    history: &History,
) -> DynamicDependence {
    let mut builder = Builder {
        program,
        model,
        history,
        graph: DynamicDependence {
            occurrences: history.occurrences.len() as u32,
            calls: calls(program, history),
            prompt: Rows::with_capacity(history.occurrences.len(), 3 * history.occurrences.len()),
            ..DynamicDependence::default()
        },
        late: Vec::new(),
        controls: program.functions.iter().map(|_| None).collect(),
        live: Vec::new(),
        world: FxHashMap::default(),
        world_parts: FxHashMap::default(),
        reads: 0,
        library_calls: 0,
        landings: 0,
    };
    for index in 0..history.occurrences.len() {
        builder.occurrence(OccurrenceId(index as u32));
    }
    let Builder {
        mut graph, late, ..
    } = builder;
    let count = graph.vertex_count();
    for _ in history.occurrences.len()..count {
        graph.prompt.push_row([]);
    }
    graph.late = Rows::from_pairs(count, &late);
    graph
}

fn calls(program: &Program, history: &History) -> Vec<OccurrenceId> {
    let all = (0..history.occurrences.len() as u32).map(OccurrenceId);
    all.filter(|id| {
        let (function, instruction) = history.node(*id);
        let body = program.function(function).body.as_deref();
        body.is_some_and(|body| body.instruction(instruction).opcode.is_call())
    })
    .collect()
}

impl Live {
    /// The vertex of an operand's value.
    fn value(&self, operand: Operand) -> Option<DynamicVertex> {
        match operand {
            Operand::Instruction(id) => self.values[id.index()],
            Operand::Argument(number) => self.parameters.get(number as usize).copied().flatten(),
            Operand::Constant(_) | Operand::Block(_) | Operand::Index(_) => None,
        }
    }
}

impl<'a> Builder<'a> {
    fn body(&self, function: FunctionId) -> Option<&'a Body> {
        self.program.function(function).body.as_deref()
    }

    fn is_void(&self, type_id: TypeId) -> bool {
        matches!(self.program.type_of(type_id), Type::Void)
    }

    fn call_vertex(&self, call: OccurrenceId, part: u32) -> Option<DynamicVertex> {
        self.graph.of_call(call, part)
    }

    /// Memory is read and written by what an instruction is, or by what is behind a call.
    fn touching(&self, occurrence: OccurrenceId) -> DynamicVertex {
        let does = self.call_vertex(occurrence, 1);
        does.unwrap_or_else(|| self.graph.node(occurrence))
    }

    fn late(&mut self, to: DynamicVertex, from: impl IntoIterator<Item = DynamicVertex>) {
        let edges = from.into_iter().filter(|from| *from != to);
        self.late.extend(edges.map(|from| (to, from)));
    }

    fn occurrence(&mut self, id: OccurrenceId) {
        let occurrence = self.history.occurrence(id);
        let (function, instruction) = self.history.node(id);
        let Some(body) = self.body(function) else {
            self.graph.prompt.push_row([]);
            return;
        };
        while let Some(landing) = self.history.landings.get(self.landings)
            && landing.before <= id
        {
            self.landings += 1;
            self.land(landing);
        }
        self.come_to(occurrence.activation, body);
        let Some(mut live) = self.live.pop() else {
            self.graph.prompt.push_row([]);
            return;
        };
        let control = match self.controls[function.index()].take() {
            Some(control) => control,
            None => Box::new(FunctionControl::of(self.model, function, body)),
        };
        let opcode = body.instruction(instruction).opcode;
        if opcode != Opcode::Phi {
            for (phi, occurrence) in std::mem::take(&mut live.phis) {
                live.values[phi.index()] = Some(self.graph.node(occurrence));
            }
        }
        self.decide(&mut live, &control, body, instruction);
        let mut sources = self.operands(&live, body, instruction);
        sources.extend(live.control);
        let written = self.read_from(id);
        if opcode.is_call() {
            self.call(&mut live, &control, body, id, written, &mut sources);
        } else {
            sources.extend(written);
        }
        sources.sort_unstable();
        sources.dedup();
        self.graph.prompt.push_row(sources);
        live.latest[instruction.index()] = Some(id);
        match opcode {
            Opcode::Phi => live.phis.push((instruction, id)),
            _ if opcode.is_call() => {}
            _ => live.values[instruction.index()] = Some(self.graph.node(id)),
        }
        if opcode.is_terminator() {
            live.segment = None;
            live.from = Some(control.block_of[instruction.index()]);
            live.from_control = live.control;
        }
        if opcode == Opcode::Return {
            self.leave(&live, &control, body, id);
        } else {
            self.live.push(live);
        }
        self.controls[function.index()] = Some(control);
    }

    /// Makes the activation the innermost one: those inside are over, or it is new.
    fn come_to(&mut self, activation: ActivationId, body: &Body) {
        while self
            .live
            .pop_if(|live| live.activation > activation)
            .is_some()
        {}
        if self.live.last().map(|live| live.activation) == Some(activation) {
            return;
        }
        let row = self.history.activation(activation);
        let parameters = self.program.function(row.function).parameters.len();
        let (called_by, parameters) = match row.entry {
            Entry::Outside => (None, SmallVec::new()),
            Entry::Call(call) => {
                let values = self.arguments(call);
                let extra = values.iter().skip(parameters).flatten().copied();
                let extra: Sources = extra.collect();
                if let Some(does) = self.call_vertex(call, 1) {
                    self.late(does, extra);
                }
                (self.call_vertex(call, 0), values)
            }
            // Library code decides how often, and gives all arguments.
            Entry::Callback(call) => {
                let does = self.call_vertex(call, 1);
                (does, SmallVec::from_elem(does, parameters))
            }
            Entry::Registered(call) => {
                let does = self.call_vertex(call, 1);
                (
                    self.call_vertex(call, 0),
                    SmallVec::from_elem(does, parameters),
                )
            }
        };
        self.live.push(Live {
            activation,
            function: row.function,
            entry: row.entry,
            called_by,
            parameters,
            values: vec![None; body.instructions.len()],
            latest: vec![None; body.instructions.len()],
            landed: None,
            segment: None,
            control: None,
            from: None,
            from_control: None,
            phis: Vec::new(),
        });
    }

    /// The values of a call's arguments, in the innermost activation.
    fn arguments(&self, call: OccurrenceId) -> SmallVec<[Option<DynamicVertex>; 4]> {
        let (function, instruction) = self.history.node(call);
        let caller = self.live.last().filter(|live| live.function == function);
        let (Some(caller), Some(body)) = (caller, self.body(function)) else {
            return SmallVec::new();
        };
        let arguments = body.arguments(instruction).iter();
        arguments.map(|argument| caller.value(*argument)).collect()
    }

    /// A `setjmp` returned again: its value is that of the `longjmp`, and all that follows runs
    /// because of it.
    fn land(&mut self, landing: &Landing) {
        let target = landing.activation;
        while self.live.pop_if(|live| live.activation > target).is_some() {}
        let value = self.graph.node(landing.jump);
        if let Some(live) = self.live.last_mut()
            && live.activation == target
        {
            live.values[landing.target.index()] = Some(value);
            live.landed = Some(landing.jump);
            live.segment = None;
        }
    }

    /// Control comes from the latest occurrence of what decides about the segment; a call decides
    /// by coming back. Where nothing of that kind has run, it comes from the call.
    fn decide(
        &self,
        live: &mut Live,
        control: &FunctionControl,
        body: &Body,
        instruction: InstructionId,
    ) {
        let segment = control.segment_of[instruction.index()];
        if live.segment == Some(segment) {
            return;
        }
        live.segment = Some(segment);
        let deciding = control.deciding.of(segment).iter();
        let latest = deciding
            .filter_map(|branch| live.latest[branch.index()])
            .max();
        let landed = live.landed.filter(|jump| latest < Some(*jump));
        live.control = match (landed, latest) {
            (Some(jump), _) => Some(self.graph.node(jump)),
            (None, Some(branch)) => Some(self.deciding(body, branch)),
            (None, None) => live.called_by,
        };
    }

    /// What decides at the occurrence of a branch: its condition; for a call that it came back.
    fn deciding(&self, body: &Body, branch: OccurrenceId) -> DynamicVertex {
        let id = self.history.occurrence(branch).instruction;
        let returns = match body.instruction(id).opcode.is_call() {
            true => self.call_vertex(branch, 2),
            false => None,
        };
        returns.unwrap_or_else(|| self.graph.node(branch))
    }

    /// An occurrence uses the values of its operands; a phi only that of the block that control came
    /// from, and it has that value because control came to that block.
    fn operands(&self, live: &Live, body: &Body, instruction: InstructionId) -> Sources {
        let operands = body.operands(instruction);
        if body.instruction(instruction).opcode != Opcode::Phi {
            return operands.iter().filter_map(|row| live.value(*row)).collect();
        }
        let mut pairs = operands.chunks_exact(2);
        let taken = pairs.find(|pair| live.from.map(Operand::Block) == Some(pair[1]));
        let value = taken.and_then(|pair| live.value(pair[0]));
        value.into_iter().chain(live.from_control).collect()
    }

    /// Whoever wrote last what the occurrence reads.
    fn read_from(&mut self, id: OccurrenceId) -> Sources {
        let mut written = Sources::new();
        while let Some((reader, writer)) = self.history.reads.get(self.reads)
            && *reader <= id
        {
            self.reads += 1;
            written.push(self.touching(*writer));
        }
        written
    }

    /// A call happens as control comes to it, and enters what its callee operand says. What the
    /// library does follows from that, from the arguments and from what it reads; the call observes
    /// the result.
    fn call(
        &mut self,
        live: &mut Live,
        control: &FunctionControl,
        body: &Body,
        id: OccurrenceId,
        written: Sources,
        sources: &mut Sources,
    ) {
        let (function, instruction) = self.history.node(id);
        let (Some(happens), Some(does), Some(returns)) = (
            self.call_vertex(id, 0),
            self.call_vertex(id, 1),
            self.call_vertex(id, 2),
        ) else {
            return;
        };
        let row = body.instruction(instruction);
        let callee = body
            .callee(instruction)
            .and_then(|callee| live.value(callee));
        self.late(happens, live.control.into_iter().chain(callee));
        self.late(does, [happens].into_iter().chain(written));
        let may_not_return = control.may_not_return(instruction);
        if may_not_return || row.opcode.is_terminator() {
            self.late(returns, [happens]);
            sources.push(returns);
        }
        live.values[instruction.index()] = None;
        let entered = self.history.library_calls.get(self.library_calls);
        let Some((_, external)) = entered.filter(|row| row.0 == id) else {
            return;
        };
        self.library_calls += 1;
        let arguments = body.arguments(instruction).iter();
        let arguments: Sources = arguments
            .filter_map(|argument| live.value(*argument))
            .collect();
        self.late(does, arguments);
        if may_not_return {
            self.late(returns, [does]);
        }
        if !self.is_void(row.type_id) {
            sources.push(does);
            live.values[instruction.index()] = Some(does);
        }
        if let Some(external) = external {
            self.world(function, instruction, *external, id, does);
        }
    }

    /// A library call finds parts of the world as earlier calls left them.
    fn world(
        &mut self,
        function: FunctionId,
        instruction: InstructionId,
        external: FunctionId,
        id: OccurrenceId,
        does: DynamicVertex,
    ) {
        let key = (function, instruction, external);
        let (reads, writes) = match self.world_parts.remove(&key) {
            Some(known) => known,
            None => self.world_parts_of(key),
        };
        let found: Sources = reads
            .iter()
            .filter_map(|part| self.world.get(part).copied())
            .collect();
        self.late(does, found);
        for part in &writes {
            let first = self.graph.occurrences + PER_CALL * self.graph.calls.len() as u32;
            let made = DynamicVertex(first + self.graph.world.len() as u32);
            self.graph.world.push(id);
            let before = self.world.insert(*part, made);
            self.late(made, [does].into_iter().chain(before));
        }
        self.world_parts.insert(key, (reads, writes));
    }

    /// What the function that is called does to the world, of what the program's text allows there.
    fn world_parts_of(
        &self,
        (function, instruction, external): (FunctionId, InstructionId, FunctionId),
    ) -> WorldParts {
        let calls = &self.model.calls;
        let effect = library().of(self.program.function_name(external));
        let (Some(site), Some(effect)) = (calls.site_of(function, instruction), effect) else {
            return WorldParts::default();
        };
        let allowed = self.model.mod_ref.call(calls, &self.model.regions, site);
        let of = |parts: &[World], allowed: knockon_memory::mod_ref::WorldSet| {
            let parts = parts.iter().copied();
            parts.filter(|part| allowed.contains(*part)).collect()
        };
        (
            of(&effect.world_reads, allowed.world_reads),
            of(&effect.world_writes, allowed.world_writes),
        )
    }

    /// A call has the value that the callee returns, and came back as the callee's branches decided;
    /// library code uses what its callbacks return.
    fn leave(&mut self, live: &Live, control: &FunctionControl, body: &Body, id: OccurrenceId) {
        let here = self.graph.node(id);
        let gives_value = !body
            .operands(self.history.occurrence(id).instruction)
            .is_empty();
        let call = match live.entry {
            Entry::Call(call) => call,
            Entry::Callback(call) => {
                if let Some(does) = self.call_vertex(call, 1) {
                    self.late(does, [here]);
                }
                return;
            }
            Entry::Outside | Entry::Registered(_) => return,
        };
        let (caller, instruction) = self.history.node(call);
        let may_not_return = (self.controls[caller.index()].as_deref())
            .or((caller == live.function).then_some(control))
            .is_some_and(|control| control.may_not_return(instruction));
        if may_not_return && let Some(returns) = self.call_vertex(call, 2) {
            let deciding = control.leaving.iter();
            let latest = deciding
                .filter_map(|branch| live.latest[branch.index()])
                .max();
            let decided = latest.map(|branch| self.deciding(body, branch));
            self.late(returns, decided);
        }
        let type_id = match self.body(caller) {
            Some(body) => body.instruction(instruction).type_id,
            None => return,
        };
        if gives_value && !self.is_void(type_id) {
            let observes = self.graph.node(call);
            self.late(observes, [here]);
            if let Some(outer) = self.live.last_mut()
                && outer.activation == self.history.occurrence(call).activation
            {
                outer.values[instruction.index()] = Some(here);
            }
        }
    }
}

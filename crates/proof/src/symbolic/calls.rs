//! Calls: entered, or left as function symbols.

use super::frame::{Frame, callee_name, fixed_intrinsic, replaceable_alias};
use super::intrinsics::{TermFunction, term_function};
use super::others::is_volatile;
use super::{CalleeView, Evaluator, HISTORY, State, TOKEN, Undecided, Value};
use knockon_change::{Side, Version};
use knockon_library::{World, library};
use knockon_logic::terms::TermId;
use knockon_memory::mod_ref::MemoryEffect;
use knockon_program::{
    Constant, Flags, FunctionId, InstructionId, Intrinsic, Opcode, Operand, PlaceId, Type,
    is_compiler_name,
};
use rustc_hash::FxHashSet;

/// What a callee may look at.
#[derive(Default)]
pub(super) struct LookedAt {
    /// All of it, where the callee is the same in both versions.
    pub(super) given: Vec<TermId>,
    /// All but the arguments.
    pub(super) surroundings: Vec<TermId>,
}

/// All memory, and all of the world that can be looked at.
fn whatever_is_there(state: &State) -> Vec<TermId> {
    let world = state.world.iter().enumerate();
    let world = world
        .filter(|(part, _)| World::PARTS.get(*part) != Some(&World::Output) && *part != HISTORY);
    let memories = state.memories.iter();
    memories.chain(world.map(|row| row.1)).copied().collect()
}

impl<'a> Evaluator<'a, '_> {
    pub(super) fn call(
        &mut self,
        frame: &mut Frame<'a>,
        id: InstructionId,
        state: &mut State,
    ) -> Result<(), Undecided> {
        let row = *frame.body.instruction(id);
        if row.opcode != Opcode::Call || row.flags.has(Flags::RETURNS_TWICE) {
            let construct = format!("{} that may come back elsewhere", row.opcode.mnemonic());
            return Err(self.construct_at(frame, id, construct));
        }
        let program = self.version().program;
        if row.flags.has(Flags::BUNDLES) {
            // What the old version assumes besides may be left out: less is undefined then.
            let called = Intrinsic::called(program, frame.body, id);
            let is_assumption = called == Some(Intrinsic::Assume);
            if !is_assumption || self.side == Side::New {
                return Err(self.construct_at(frame, id, "a call with operand bundles"));
            }
        }
        let arguments: Result<Vec<Value>, Undecided> = frame
            .body
            .arguments(id)
            .iter()
            .map(|argument| self.argument(frame, id, *argument))
            .collect();
        let arguments = arguments?;
        if frame.tail_calls.contains(&id) {
            self.observe(frame, id, state, &arguments);
            self.note_surroundings(frame, id, whatever_is_there(state));
            frame.rounds.push((state.clone(), arguments));
            state.condition = self.terms.boolean(false);
            return Ok(());
        }
        if let Some(intrinsic) = fixed_intrinsic(self.version(), frame.body, id) {
            if intrinsic.moves_memory() {
                if is_volatile(program, frame.body, id) {
                    return Err(self.construct_at(frame, id, "a copy of what is volatile"));
                }
                let copied = self.copied(frame, state, id, &arguments);
                let observed: Vec<Value> = arguments.iter().cloned().chain(copied).collect();
                self.observe(frame, id, state, &observed);
                self.note_surroundings(frame, id, whatever_is_there(state));
                return self.move_memory(frame, state, id, intrinsic, &arguments);
            }
            if let Some(function) = term_function(intrinsic) {
                self.observe(frame, id, state, &arguments);
                self.note_surroundings(frame, id, Vec::new());
                let value = self.intrinsic(function, &arguments, state)?;
                frame.values[id.index()] = value;
                return Ok(());
            }
        }
        let history = state.world[HISTORY];
        let mut observed = arguments.clone();
        let condition = state.condition;
        let mut looked_at = LookedAt::default();
        let here = self.here;
        let value = match self.entered_callee(frame, id) {
            Some(callee) => {
                looked_at.surroundings = whatever_is_there(state);
                let path = format!("{}.", self.node_name(frame, id));
                self.entered_call(callee, arguments, state, path)?
            }
            None => {
                let (observed, looked_at) = (&mut observed, &mut looked_at);
                self.symbolic_call(frame, id, &arguments, state, observed, looked_at)?
            }
        };
        self.here = here;
        let is_plain = self.is_plain_function(frame, id);
        if !is_plain {
            self.remember_call(frame, id, state);
        }
        observed.extend(value.clone());
        // Whether it returns is seen, too.
        observed.push(Value::Term(state.condition));
        let callee = self.callee_address(frame, id);
        // It happens whether or not it returns.
        let mut before = state.clone();
        before.condition = condition;
        before.world[HISTORY] = history;
        self.observe(frame, id, &before, &observed);
        if frame.path.is_empty()
            && let Some(rows) = self.observations.get_mut(&id)
            && let Some(last) = rows.last_mut()
        {
            last.given = looked_at.given;
            last.callee = callee;
            last.is_ordered = !is_plain;
        }
        self.note_surroundings(frame, id, looked_at.surroundings);
        frame.values[id.index()] = value;
        Ok(())
    }

    /// Of a call that was just observed.
    fn note_surroundings(&mut self, frame: &Frame<'a>, id: InstructionId, found: Vec<TermId>) {
        let rows = self.observations.get_mut(&id);
        let last = rows.and_then(|rows| rows.last_mut());
        if let Some(last) = last.filter(|_| frame.path.is_empty()) {
            last.surroundings = Some(found);
        }
    }

    /// The address of what is called, if it is known.
    fn callee_address(&mut self, frame: &Frame<'a>, id: InstructionId) -> Option<TermId> {
        match self.operand(frame, frame.body.callee(id)?) {
            Ok(Value::Term(address)) => Some(address),
            _ => None,
        }
    }

    fn argument(
        &mut self,
        frame: &Frame<'a>,
        call: InstructionId,
        operand: Operand,
    ) -> Result<Value, Undecided> {
        if let Operand::Constant(id) = operand
            && let Constant::Metadata(text) = self.version().program.constant(id)
        {
            // A text says what is done: how to round, which comparison. What the number of a node
            // stands for is not known.
            let program = self.version().program;
            let text = program.name(*text);
            let called = Intrinsic::called(program, frame.body, call);
            let is_text = text.starts_with("!\"") || text.starts_with("!{");
            return match (is_text, called.and_then(term_function)) {
                (_, Some(TermFunction::Nothing)) => Ok(Value::Aggregate(Vec::new())),
                (true, _) => {
                    let name = format!("metadata {text}");
                    Ok(Value::Term(self.names.symbol(self.terms, &name, TOKEN)))
                }
                (false, _) => Err(self.construct_at(frame, call, "a call that is given metadata")),
            };
        }
        let position = self.position(frame.body.instruction(call).place, operand);
        match position {
            Some(position) => Ok(Value::Term(position)),
            None => self.operand(frame, operand),
        }
    }

    /// An argument that is the number of its line, where that line moved and was not edited: some
    /// number, the same in both versions. Whatever holds for all numbers holds for `__LINE__`.
    fn position(&mut self, place: PlaceId, operand: Operand) -> Option<TermId> {
        let program = self.version().program;
        let Operand::Constant(id) = operand else {
            return None;
        };
        let Constant::Integer { type_id, bits } = program.constant(id) else {
            return None;
        };
        let line = *self.moved_positions.get(&(place, *bits))?;
        let place = program.place(place);
        let sort = self.sort_of(*type_id).ok()?;
        let name = format!("line {line} of {}", program.file_path(place.file));
        Some(self.names.symbol(self.terms, &name, sort))
    }

    /// The function with a body that a call enters, if it is one and is to be entered.
    pub(super) fn entered_callee(
        &self,
        frame: &Frame<'a>,
        id: InstructionId,
    ) -> Option<FunctionId> {
        let program = self.version().program;
        let Operand::Constant(constant) = frame.body.callee(id)? else {
            return None;
        };
        let callee = program.called_function(constant)?;
        let row = program.function(callee);
        row.body.as_ref()?;
        if replaceable_alias(program, frame.body, id).is_some() {
            return None;
        }
        let is_variadic = matches!(
            program.type_of(row.type_id),
            Type::Function { variadic: true, .. }
        );
        let takes_all = row.parameters.len() == frame.body.arguments(id).len();
        let copies = !frame.body.by_value_arguments_of(id).is_empty();
        if is_variadic || !takes_all || copies || self.entered.contains(&callee) {
            return None;
        }
        let view = (self.view)(self.side, callee, self.entered.len());
        (view == CalleeView::Inside).then_some(callee)
    }

    fn entered_call(
        &mut self,
        callee: FunctionId,
        arguments: Vec<Value>,
        state: &mut State,
        path: String,
    ) -> Result<Option<Value>, Undecided> {
        let ending = self.enter(callee, arguments, state.clone(), path)?;
        let Some(ending) = ending else {
            state.condition = self.terms.boolean(false);
            return Ok(None);
        };
        *state = ending.state;
        Ok(ending.value)
    }

    /// A function, or one that it may enter, has variables in memory.
    pub(super) fn may_have_variables(&self, function: FunctionId) -> bool {
        let Version { program, memory } = self.version();
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        let mut work = vec![function];
        while let Some(next) = work.pop() {
            let Some(body) = program.function(next).body.as_deref() else {
                continue;
            };
            if !seen.insert(next) {
                continue;
            }
            let mut ids = body.instruction_ids();
            if ids.any(|id| body.instruction(id).opcode == Opcode::Alloca) {
                return true;
            }
            for site in memory.calls.sites_of(next) {
                work.extend(memory.calls.targets.of(site));
            }
        }
        false
    }

    /// The call is of a function of its arguments alone: it touches neither memory nor the world,
    /// allocates nothing, and returns.
    pub(super) fn is_plain_function(&self, frame: &Frame<'a>, id: InstructionId) -> bool {
        let version = self.version();
        let memory = version.memory;
        let Some(name) = callee_name(version.program, frame.body, id) else {
            return false;
        };
        let fixed = fixed_intrinsic(version, frame.body, id);
        if fixed.and_then(term_function).is_some() {
            return true;
        }
        let Some(site) = memory.calls.site_of(frame.function, id) else {
            return false;
        };
        let effect = memory.mod_ref.call(&memory.calls, &memory.regions, site);
        memory.calls.targets.of(site).is_empty()
            && !memory.calls.site(site).calls_unmodelled
            && library().of(name).is_some_and(|row| row.is_pure())
            && effect == MemoryEffect::default()
    }

    /// The call is defined whatever it is given: an instruction of LLVM's, or a plain function of
    /// floating-point numbers. What is given integers may ask for a range (`div`, `isdigit`).
    pub(super) fn is_total(&self, frame: &Frame<'a>, id: InstructionId) -> bool {
        let program = self.version().program;
        let is_number = |type_id| program.type_of(type_id).is_floating_point();
        let callee = match frame.body.callee(id) {
            Some(Operand::Constant(constant)) => program.called_function(constant),
            _ => None,
        };
        let takes_numbers = callee.is_some_and(|callee| {
            let name = program.function_name(callee);
            let mut parameters = program.function(callee).parameters.iter();
            is_compiler_name(name) || parameters.all(|row| is_number(row.type_id))
        });
        takes_numbers && self.is_plain_function(frame, id)
    }

    /// The call makes and frees nothing: what may be accessed after it is what could be before.
    pub(super) fn keeps_lifetimes(&self, frame: &Frame<'a>, id: InstructionId) -> bool {
        let version = self.version();
        let site = version.memory.calls.site_of(frame.function, id);
        site.is_some_and(|site| self.lifetimes.are_kept_by(version, site))
    }

    /// A node's name within its frame: that of the old version where it has a partner.
    pub(super) fn node_name(&self, frame: &Frame<'a>, id: InstructionId) -> String {
        match self.shared_node(frame, id) {
            Some(old) => format!("{}{}", frame.path, old.0),
            None => format!("{}{}:{}", frame.path, self.side_name(), id.0),
        }
    }

    /// The number of a node in the old version, if both versions have it.
    pub(super) fn shared_node(
        &self,
        frame: &Frame<'a>,
        id: InstructionId,
    ) -> Option<InstructionId> {
        (self.shared_nodes)(self.side, frame.function, id)
    }
}

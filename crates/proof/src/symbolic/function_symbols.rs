//! Calls that are not entered: function symbols of all that the callee may look at, one for each part
//! that it may write. Both versions share a symbol if all that the call may enter is the same.

use super::calls::LookedAt;
use super::frame::{Frame, callee_name, replaceable_alias};
use super::regions::flatten;
use super::scalars::with_fast_math;
use super::{
    CalleeView, EVENTS, Evaluator, LIFETIMES, State, TOKEN, Undecided, Value, WORLD_PARTS,
};
use crate::product::Compared;
use knockon_library::{World, library};
use knockon_logic::terms::{Sort, TermId};
use knockon_memory::mod_ref::{MemoryEffect, WorldSet};
use knockon_program::{Constant, Flags, InstructionId, Operand, Type, TypeId};

/// Up to so many bytes are set to 0 one by one.
const MOST_ZEROED: u32 = 64;

/// What a call is, as a function symbol.
struct Symbolic {
    name: String,
    arguments: Vec<TermId>,
    effect: MemoryEffect,
    result: TypeId,
    /// All that it may enter is the same in both versions.
    is_shared: bool,
}

impl<'a> Evaluator<'a, '_> {
    pub(super) fn symbolic_call(
        &mut self,
        frame: &Frame<'a>,
        id: InstructionId,
        arguments: &[Value],
        state: &mut State,
        observed: &mut Vec<Value>,
        looked_at: &mut LookedAt,
    ) -> Result<Option<Value>, Undecided> {
        let symbolic = self.symbolic(frame, id, arguments, observed)?;
        let Symbolic {
            name,
            arguments: mut given,
            effect,
            result,
            is_shared,
        } = symbolic;
        let is_plain = self.is_plain_function(frame, id);
        let keeps_lifetimes = is_plain || self.keeps_lifetimes(frame, id);
        // As `free` does to a null pointer.
        let is_idle = match given[..] {
            [pointer] if library().facts(&name).ignores_null && self.is_of_library(frame, id) => {
                let null = self.terms.bits(64, 0);
                self.terms.equal(pointer, null)
            }
            _ => self.terms.boolean(false),
        };
        let zeroed = self.zeroed_bytes(frame, id, &given);
        let name = match zeroed {
            Some((function, bytes)) => {
                given = vec![self.terms.bits(64, u128::from(bytes))];
                function.to_owned()
            }
            None => name,
        };
        let arguments = given.len();
        if !is_plain {
            // What is allocated decides which addresses it gives, and which it may use.
            given.push(state.world[LIFETIMES]);
        }
        if !keeps_lifetimes && self.compared == Compared::Lines {
            // So does the place of the call: it is a part of the names of what is made.
            let place = format!("place {}", self.node_name(frame, id));
            given.push(self.names.symbol(self.terms, &place, TOKEN));
        }
        if !effect.may_read.is_empty() || !effect.may_write.is_empty() {
            given.push(state.memories[0]);
        }
        let touched = |set: &WorldSet, part: usize| set.contains(World::PARTS[part]);
        let mut parts = String::new();
        for part in 0..World::PARTS.len() {
            // What was put out is read by nobody.
            let is_read = touched(&effect.world_reads, part)
                || touched(&effect.world_writes, part) && World::PARTS[part] != World::Output;
            if is_read {
                parts.push_str(&part.to_string());
                given.push(state.world[part]);
            }
        }
        let is_event = self.is_event(frame, id, &effect);
        if is_event {
            given.push(state.world[EVENTS]);
        }
        let name = format!("{name} [{parts}]");
        looked_at.surroundings = given[arguments..].to_vec();
        if is_shared {
            looked_at.given.clone_from(&given);
        }
        if !self.is_total(frame, id) {
            let valid = self
                .terms
                .apply(format!("{name} is defined"), &given, Sort::Boolean);
            let invalid = self.terms.not(valid);
            let is_busy = self.terms.not(is_idle);
            let guard = self.terms.and([state.condition, is_busy]);
            self.is_undefined_if(guard, invalid);
        }
        let value = match self.version().program.type_of(result) {
            Type::Void => None,
            _ => Some(self.applied(&format!("{name} result"), &given, result)?),
        };
        let before = state.clone();
        let idle = state.clone();
        if effect.may_not_return {
            let returns = self
                .terms
                .apply(format!("{name} returns"), &given, Sort::Boolean);
            let stays = self.terms.not(returns);
            let mut left = before;
            left.condition = self.terms.and([state.condition, stays]);
            self.written(&name, &given, &effect, &mut left, keeps_lifetimes);
            if is_event {
                self.note_event(&mut left, &name, &given);
            }
            // Which call it was, and what it was given, is how the program ends.
            left.world[LIFETIMES] = self.terms.apply(format!("{name} ends"), &given, TOKEN);
            if self.terms.as_boolean(left.condition) != Some(false) {
                left.condition = self.reached(left.condition);
                self.leaving.push(left);
            }
            state.condition = self.terms.and([state.condition, returns]);
        }
        self.written(&name, &given, &effect, state, keeps_lifetimes);
        for (own, other) in state.memories.iter_mut().zip(&idle.memories) {
            *own = self.terms.if_then_else(is_idle, *other, *own);
        }
        for (own, other) in state.world.iter_mut().zip(&idle.world) {
            *own = self.terms.if_then_else(is_idle, *other, *own);
        }
        if let (Some((_, bytes)), Some(Value::Term(address))) = (zeroed, &value) {
            state.memories[0] = self.zeroed(state.memories[0], *address, bytes);
        }
        if is_event {
            self.note_event(state, &name, &given);
        }
        if frame.body.instruction(id).flags.has(Flags::NO_RETURN) {
            state.condition = self.terms.boolean(false);
        }
        Ok(value)
    }

    /// `calloc` is `malloc` of a number of bytes, which are 0 then: that function and the number, if it
    /// is known and small.
    fn zeroed_bytes(
        &self,
        frame: &Frame<'a>,
        id: InstructionId,
        given: &[TermId],
    ) -> Option<(&'static str, u32)> {
        let name = callee_name(self.version().program, frame.body, id)?;
        let function = library().facts(name).zeroes_as?;
        let (count, size) = match given {
            [count, size] if self.is_of_library(frame, id) => {
                (self.terms.as_bits(*count)?, self.terms.as_bits(*size)?)
            }
            _ => return None,
        };
        let bytes = count.checked_mul(size)?;
        let bytes = u32::try_from(bytes).ok()?;
        (bytes <= MOST_ZEROED).then_some((function, bytes))
    }

    /// A memory with zeros at an address, unless that is null.
    fn zeroed(&mut self, before: TermId, address: TermId, bytes: u32) -> TermId {
        let mut memory = before;
        let mut at = 0;
        while at < bytes {
            let step = [8, 4, 2, 1].into_iter().find(|step| *step <= bytes - at);
            let step = step.unwrap_or(1);
            let offset = self.terms.bits(64, u128::from(at));
            let there = self.terms.add(address, offset);
            let zero = self.terms.bits(8 * step, 0);
            memory = self.terms.store(memory, there, zero);
            at += step;
        }
        let null = self.terms.bits(64, 0);
        let is_null = self.terms.equal(address, null);
        self.terms.if_then_else(is_null, before, memory)
    }

    /// The call is of a function of the library, and can be of no other.
    fn is_of_library(&self, frame: &Frame<'a>, id: InstructionId) -> bool {
        let version = self.version();
        let calls = &version.memory.calls;
        let name = callee_name(version.program, frame.body, id);
        name.is_some_and(|name| library().of(name).is_some())
            && calls.site_of(frame.function, id).is_some_and(|site| {
                calls.targets.of(site).is_empty() && !calls.site(site).calls_unmodelled
            })
    }

    /// What a call writes.
    fn written(
        &mut self,
        name: &str,
        given: &[TermId],
        effect: &MemoryEffect,
        state: &mut State,
        keeps_lifetimes: bool,
    ) {
        if !effect.may_write.is_empty() {
            state.memories[0] = self
                .terms
                .apply(format!("{name} memory"), given, Sort::Memory);
        }
        for part in 0..World::PARTS.len() {
            if !moves_on(effect, World::PARTS[part]) {
                continue;
            }
            let mut given = given.to_vec();
            given.push(state.world[part]);
            state.world[part] = self
                .terms
                .apply(format!("{name} world {part}"), &given, TOKEN);
        }
        if !keeps_lifetimes {
            let mut given = given.to_vec();
            given.push(state.world[LIFETIMES]);
            state.world[LIFETIMES] = self.terms.apply(format!("{name} lifetimes"), &given, TOKEN);
        }
    }

    pub(super) fn applied(
        &mut self,
        name: &str,
        given: &[TermId],
        type_id: TypeId,
    ) -> Result<Value, Undecided> {
        if let Some(elements) = self.elements(type_id) {
            let values: Result<Vec<Value>, Undecided> = elements
                .into_iter()
                .enumerate()
                .map(|(number, element)| self.applied(&format!("{name}.{number}"), given, element))
                .collect();
            return values.map(Value::Aggregate);
        }
        let sort = self.sort_of(type_id)?;
        Ok(Value::Term(self.terms.apply(name, given, sort)))
    }

    /// The function symbol of a call: shared by both versions if all that it may enter is the same.
    fn symbolic(
        &mut self,
        frame: &Frame<'a>,
        id: InstructionId,
        arguments: &[Value],
        observed: &mut Vec<Value>,
    ) -> Result<Symbolic, Undecided> {
        let version = self.version();
        let memory = version.memory;
        let Some(site) = memory.calls.site_of(frame.function, id) else {
            return Err(self.construct_at(frame, id, "a call that is not in the call graph"));
        };
        let mut given = Vec::new();
        for argument in arguments {
            flatten(argument, &mut given);
        }
        let callee = frame.body.callee(id);
        let named = match callee {
            Some(Operand::Constant(constant)) => version.program.called_function(constant),
            _ => None,
        };
        // What it starts may be a program of the build, and another one in each version.
        let mut is_shared = !memory.processes.may_start_program(site);
        let mut names: Vec<String> = Vec::new();
        let entered = memory.calls.targets.of(site).iter();
        for target in entered.chain(memory.calls.callbacks.of(site)) {
            match (self.view)(self.side, *target, usize::MAX) {
                CalleeView::Shared(name) => names.push(name),
                _ => is_shared = false,
            }
        }
        let name = match (named, callee) {
            (Some(function), _) => {
                let text = version.program.function_name(function);
                match names.first() {
                    Some(name) if version.program.function(function).body.is_some() => name.clone(),
                    _ => text.to_owned(),
                }
            }
            (None, Some(Operand::Constant(constant))) => match version.program.constant(constant) {
                Constant::Assembly {
                    template,
                    constraints,
                } => {
                    let text = version.program.name(*template);
                    format!("asm {text} {}", version.program.name(*constraints))
                }
                _ => return Err(self.construct_at(frame, id, "a call of a constant")),
            },
            (None, Some(pointer)) => {
                let address = self.single(frame, pointer)?;
                given.push(address);
                observed.push(Value::Term(address));
                "call through a pointer".to_owned()
            }
            (None, None) => return Err(self.construct_at(frame, id, "a call of nothing")),
        };
        let name = with_fast_math(&name, frame.body.instruction(id).flags);
        let name = name + &self.passing(frame, id, named);
        let name = match replaceable_alias(version.program, frame.body, id) {
            Some(alias) => format!("{name} by {alias}"),
            None => name,
        };
        let name = match is_shared {
            true => name,
            false => format!("{} {name}", self.side_name()),
        };
        Ok(Symbolic {
            name,
            arguments: given,
            effect: memory.mod_ref.call(&memory.calls, &memory.regions, site),
            result: frame.body.instruction(id).type_id,
            is_shared,
        })
    }

    /// What a call writes, memory and parts of the world; `None` if that is not known: what variables
    /// of a function that is entered hold goes nowhere, but is written.
    pub(super) fn written_by_symbol(
        &self,
        frame: &Frame<'a>,
        id: InstructionId,
    ) -> Option<(bool, [bool; WORLD_PARTS])> {
        if let Some(callee) = self.entered_callee(frame, id)
            && self.may_have_variables(callee)
        {
            return None;
        }
        let memory = self.version().memory;
        let site = memory.calls.site_of(frame.function, id)?;
        let effect = memory.mod_ref.call(&memory.calls, &memory.regions, site);
        let mut world = [false; WORLD_PARTS];
        for (part, kind) in World::PARTS.into_iter().enumerate() {
            world[part] = moves_on(&effect, kind);
        }
        world[LIFETIMES] = !self.keeps_lifetimes(frame, id);
        world[EVENTS] = self.is_event(frame, id, &effect);
        let writes_memory = !effect.may_write.is_empty()
            || callee_name(self.version().program, frame.body, id)
                .is_some_and(|name| library().facts(name).zeroes_as.is_some());
        Some((writes_memory, world))
    }
}

/// The call leaves a part of the world as another one: it may write it, or looks at what goes on by
/// itself or gives something else each time.
fn moves_on(effect: &MemoryEffect, part: World) -> bool {
    let is_seen_once = matches!(part, World::Clock | World::Random);
    effect.world_writes.contains(part) || is_seen_once && effect.world_reads.contains(part)
}

//! Loads, stores, addresses and copies.

use super::frame::{Frame, callee_name};
use super::validity::Access;
use super::{Evaluator, LIFETIMES, State, Undecided, Value};
use knockon_logic::terms::{Sort, TermId};
use knockon_program::{InstructionId, Intrinsic, Operand, Program, Type, TypeId, observed_memory};

/// Up to so many bytes a copy is made byte by byte.
const MOST_COPIED: u128 = 64;

impl<'a> Evaluator<'a, '_> {
    /// The address that `getelementptr` computes.
    pub(super) fn element_address(
        &mut self,
        program: &Program,
        base: TermId,
        element: TypeId,
        operands: &[Operand],
        values: &[Value],
    ) -> Result<TermId, Undecided> {
        let mut address = base;
        let mut current = element;
        for (number, value) in values.iter().enumerate().skip(1) {
            let Value::Term(index) = value else {
                return Err(self.construct("a vector of addresses", None));
            };
            if number == 1 {
                address = self.stepped(address, *index, self.layouts.size_of(element));
                continue;
            }
            match program.type_of(current) {
                Type::Struct { fields, .. } => {
                    let field = self.terms.as_bits(*index).map(|bits| bits as usize);
                    let Some((field, offset)) = field.and_then(|field| {
                        Some((field, self.layouts.field_offset(current, field)?))
                    }) else {
                        return Err(self.construct("an unknown field", None));
                    };
                    let offset = self.terms.bits(64, u128::from(offset));
                    address = self.terms.add(address, offset);
                    current = fields[field];
                }
                Type::Array { element, .. } | Type::Vector { element, .. } => {
                    address = self.stepped(address, *index, self.layouts.size_of(*element));
                    current = *element;
                }
                _ => return Err(self.construct("an address inside a scalar", None)),
            }
        }
        let _ = operands;
        Ok(address)
    }

    fn stepped(&mut self, address: TermId, index: TermId, size: u64) -> TermId {
        let index = match self.terms.sort(index) {
            Sort::Boolean => self.terms.number_of(index, 64),
            _ => self.terms.sign_extend(index, 64),
        };
        let offset = self.terms.scale(index, u128::from(size));
        self.terms.add(address, offset)
    }

    /// The memory that an address points into: a number of the state's, or a constant object's.
    fn memory_at(&self, frame: &Frame, address: Operand, at: TermId, state: &State) -> TermId {
        let class = frame.class_of(address);
        if class == 0
            && let Some(object) = self.object_term(at)
            && let Some(memory) = self.names.constant_memory(object)
        {
            return memory;
        }
        state.memories[class]
    }

    pub(super) fn object_term(&self, address: TermId) -> Option<TermId> {
        let object = self.terms.object_of(address)?;
        let parts = match &self.terms.get(address).operator {
            knockon_logic::terms::Operator::Symbol(_) => return Some(address),
            _ => &self.terms.get(address).arguments,
        };
        parts
            .iter()
            .copied()
            .find(|part| self.terms.as_symbol(*part) == Some(object))
    }

    pub(super) fn load(
        &mut self,
        frame: &Frame<'a>,
        state: &State,
        address: Operand,
        at: TermId,
        type_id: TypeId,
        alignment: u32,
    ) -> Result<Value, Undecided> {
        let memory = self.memory_at(frame, address, at, state);
        let size = self.layouts.store_size(type_id) as u32;
        let access = self.access(frame, address, at, size, alignment);
        self.needs_valid(state, access);
        self.load_value(memory, at, type_id)
    }

    fn load_value(
        &mut self,
        memory: TermId,
        at: TermId,
        type_id: TypeId,
    ) -> Result<Value, Undecided> {
        if self.elements(type_id).is_some() {
            let parts = self.parts(type_id)?;
            let mut values = Vec::new();
            for (offset, element) in parts {
                let offset = self.terms.bits(64, u128::from(offset));
                let there = self.terms.add(at, offset);
                values.push(self.load_value(memory, there, element)?);
            }
            return Ok(Value::Aggregate(values));
        }
        let Some(width) = self.width_of(type_id) else {
            return Err(self.construct("a load of an unknown type", None));
        };
        let bytes = width.div_ceil(8);
        let stored = self.load_bytes(memory, at, bytes);
        Ok(Value::Term(match width {
            1 => {
                let low = self.terms.truncate(stored, 1);
                let one = self.terms.bits(1, 1);
                self.terms.equal(low, one)
            }
            _ => self.terms.truncate(stored, width),
        }))
    }

    /// Bytes of a memory; of a constant object's, the bytes themselves.
    fn load_bytes(&mut self, memory: TermId, at: TermId, bytes: u32) -> TermId {
        if let Some(object) = self.names.content(memory)
            && let Some(offset) = self.terms.constant_difference(at, object.address)
            && let Ok(offset) = usize::try_from(offset)
        {
            let until = offset.saturating_add(bytes as usize);
            let content = &object.content;
            let mut addresses = content.addresses.iter();
            if bytes == 8
                && let Some((_, address)) = addresses.find(|row| row.0 == offset)
            {
                return *address;
            }
            if content.is_plain(offset, until)
                && let Some(found) = content.bytes.get(offset..until)
            {
                let value = found
                    .iter()
                    .rev()
                    .fold(0, |value: u128, byte| (value << 8) | u128::from(*byte));
                return self.terms.bits(bytes * 8, value);
            }
        }
        self.terms.load(memory, at, bytes)
    }

    /// The offsets and types of an aggregate's elements.
    fn parts(&self, type_id: TypeId) -> Result<Vec<(u64, TypeId)>, Undecided> {
        let Some(elements) = self.elements(type_id) else {
            return Err(self.construct("an aggregate that is too large", None));
        };
        let program = self.version().program;
        let is_struct = matches!(program.type_of(type_id), Type::Struct { .. });
        let mut parts = Vec::new();
        for (number, element) in elements.into_iter().enumerate() {
            let offset = match is_struct {
                true => self.layouts.field_offset(type_id, number).unwrap_or(0),
                false => number as u64 * self.layouts.size_of(element),
            };
            parts.push((offset, element));
        }
        Ok(parts)
    }

    pub(super) fn store(
        &mut self,
        frame: &Frame<'a>,
        state: &mut State,
        address: Operand,
        (at, alignment): (TermId, u32),
        value: &Value,
        type_id: Option<TypeId>,
    ) -> Result<(), Undecided> {
        let class = frame.class_of(address);
        let size = match (value, type_id) {
            (Value::Term(term), _) => self.terms.width(*term).div_ceil(8),
            (_, Some(type_id)) => self.layouts.store_size(type_id) as u32,
            (_, None) => return Err(self.construct("a store of an unknown type", None)),
        };
        let access = self.access(frame, address, at, size, alignment);
        self.needs_valid(state, access);
        self.needs_writable(state, class, at);
        let memory = self.store_value(state.memories[class], at, value, type_id)?;
        state.memories[class] = memory;
        Ok(())
    }

    fn store_value(
        &mut self,
        mut memory: TermId,
        at: TermId,
        value: &Value,
        type_id: Option<TypeId>,
    ) -> Result<TermId, Undecided> {
        match value {
            Value::Aggregate(values) => {
                let Some(type_id) = type_id else {
                    return Err(self.construct("a store of an unknown type", None));
                };
                for ((offset, element), value) in self.parts(type_id)?.into_iter().zip(values) {
                    let offset = self.terms.bits(64, u128::from(offset));
                    let there = self.terms.add(at, offset);
                    memory = self.store_value(memory, there, value, Some(element))?;
                }
                Ok(memory)
            }
            Value::Term(term) => {
                let stored = match self.terms.sort(*term) {
                    Sort::Boolean => self.terms.number_of(*term, 8),
                    Sort::Bits(width) => self.terms.zero_extend(*term, width.div_ceil(8) * 8),
                    Sort::Memory => return Err(self.construct("memory as a value", None)),
                };
                Ok(self.terms.store(memory, at, stored))
            }
        }
    }

    /// A store needs more than a load: a constant is there and must not be written. Of what is behind a
    /// pointer that is an unknown condition, the same for equal addresses at all times, and for all
    /// of an object: what is a constant distance away from a place that is written is in the same one.
    fn needs_writable(&mut self, state: &State, class: usize, at: TermId) {
        if class != 0 {
            return;
        }
        let denied = match self.object_term(at) {
            Some(object) if self.names.constant_memory(object).is_some() => {
                self.terms.boolean(true)
            }
            Some(_) => return,
            None => {
                let writable = self.terms.apply("writable", &[at], Sort::Boolean);
                let (base, _) = self.terms.without_constant(at);
                if base != at && self.terms.as_bits(base).is_none() {
                    let of_base = self.terms.apply("writable", &[base], Sort::Boolean);
                    let same = self.terms.equal(writable, of_base);
                    let reached = self.reached(state.condition);
                    let fact = self.terms.implies(reached, same);
                    self.holds(&[], fact);
                }
                self.terms.not(writable)
            }
        };
        self.is_undefined_if(state.condition, denied);
    }

    /// What a copy of memory copies: its bytes, or all of the memory that they are in.
    pub(super) fn copied(
        &mut self,
        frame: &Frame<'a>,
        state: &State,
        call: InstructionId,
        values: &[Value],
    ) -> Vec<Value> {
        let observed = observed_memory(self.version().program, frame.body, call);
        let Some(copied) = observed.copied else {
            return Vec::new();
        };
        let (Value::Term(from), Value::Term(size)) = (&values[copied.from], &values[copied.length])
        else {
            return Vec::new();
        };
        let from = *from;
        let source = self.memory_at(frame, frame.body.arguments(call)[copied.from], from, state);
        match self.terms.as_bits(*size) {
            Some(count) if count <= MOST_COPIED => (0..count)
                .map(|number| {
                    let offset = self.terms.bits(64, number);
                    let there = self.terms.add(from, offset);
                    Value::Term(self.load_bytes(source, there, 1))
                })
                .collect(),
            _ => vec![Value::Term(source)],
        }
    }

    /// [`Intrinsic::moves_memory`].
    pub(super) fn move_memory(
        &mut self,
        frame: &Frame<'a>,
        state: &mut State,
        call: InstructionId,
        intrinsic: Intrinsic,
        values: &[Value],
    ) -> Result<(), Undecided> {
        let terms: Option<Vec<TermId>> = values
            .iter()
            .map(|value| match value {
                Value::Term(term) => Some(*term),
                Value::Aggregate(_) => None,
            })
            .collect();
        let Some([to, from, size, ..]) = terms.as_deref() else {
            return Err(self.construct("a copy of vectors", None));
        };
        let (to, from, size) = (*to, *from, *size);
        let arguments = frame.body.arguments(call);
        let class = frame.class_of(arguments[0]);
        let is_set = intrinsic == Intrinsic::SetMemory;
        let mut source = match is_set {
            true => state.memories[class],
            false => self.memory_at(frame, arguments[1], from, state),
        };
        let zero = self.terms.bits(64, 0);
        let size = self.terms.zero_extend(size, 64);
        let is_nothing = self.terms.equal(size, zero);
        let is_something = self.terms.not(is_nothing);
        let guard = self.terms.and([state.condition, is_something]);
        if intrinsic == Intrinsic::CopyMemory {
            // What is copied may be what is written, but no part of it.
            let apart = (self.terms.subtract(to, from), self.terms.subtract(from, to));
            let is_same = self.terms.equal(to, from);
            let is_elsewhere = self.terms.not(is_same);
            let ahead = self.terms.unsigned_less(apart.0, size);
            let behind = self.terms.unsigned_less(apart.1, size);
            let meets = self.terms.or([ahead, behind]);
            let is_constant = source != state.memories[frame.class_of(arguments[1])];
            let are_different = class != frame.class_of(arguments[1])
                || is_constant
                || self.are_different_objects(to, from);
            let overlaps = match are_different {
                true => self.terms.boolean(false),
                false => self.terms.and([is_elsewhere, meets]),
            };
            self.is_undefined_if(guard, overlaps);
        }
        if self.is_seen_event(frame, call) {
            source = self.seen_memory(state, source, from, size);
        }
        if self.is_shown_event(frame, call) {
            let name = callee_name(self.version().program, frame.body, call).unwrap_or_default();
            self.note_event(state, name, &[to, from, size, source]);
        }
        if let Some(count) = self.terms.as_bits(size)
            && count <= MOST_COPIED
        {
            if count > 0 {
                self.needs_valid(state, Access::of_copy(to, count as u32));
                self.needs_writable(state, class, to);
            }
            let mut bytes = Vec::new();
            for number in 0..count {
                bytes.push(match is_set {
                    true => from,
                    false => {
                        let offset = self.terms.bits(64, number);
                        let there = self.terms.add(from, offset);
                        self.load_bytes(source, there, 1)
                    }
                });
            }
            if !is_set && count > 0 {
                self.needs_valid(state, Access::of_copy(from, count as u32));
            }
            // In words where it can be, as loads and stores are.
            let mut at = 0;
            while at < bytes.len() {
                let left = bytes.len() - at;
                let step = [8, 4, 2, 1]
                    .into_iter()
                    .find(|step| *step <= left)
                    .unwrap_or(1);
                let mut word = bytes[at];
                for byte in &bytes[at + 1..at + step] {
                    word = self.terms.concatenate(*byte, word);
                }
                let word = match is_set {
                    true => word,
                    false => {
                        let offset = self.terms.bits(64, at as u128);
                        let there = self.terms.add(from, offset);
                        self.load_bytes(source, there, step as u32)
                    }
                };
                let offset = self.terms.bits(64, at as u128);
                let there = self.terms.add(to, offset);
                state.memories[class] = self.terms.store(state.memories[class], there, word);
                at += step;
            }
            return Ok(());
        }
        let kind = match is_set {
            true => "set memory",
            false => "copy memory",
        };
        let valid = self.terms.apply(
            format!("valid {kind}"),
            &[state.world[LIFETIMES], to, from, size],
            Sort::Boolean,
        );
        let invalid = self.terms.not(valid);
        self.is_undefined_if(guard, invalid);
        let memory = state.memories[class];
        state.memories[class] = match is_set {
            true => {
                let filled = self
                    .terms
                    .apply(kind, &[memory, to, from, size], Sort::Memory);
                self.terms.if_then_else(is_nothing, memory, filled)
            }
            false => self.terms.copied(memory, to, source, from, size),
        };
        Ok(())
    }

    fn are_different_objects(&self, left: TermId, right: TermId) -> bool {
        match (self.terms.object_of(left), self.terms.object_of(right)) {
            (Some(left), Some(right)) => left != right,
            _ => false,
        }
    }
}

//! What each instruction of a version says of the shapes of memory.

use super::streams::stream_argument;
use super::unification::{Collector, Key, Spot};
use crate::padding::padding;
use knockon_change::Side;
use knockon_library::library;
use knockon_program::{
    Body, Cast, Constant, ConstantId, FunctionId, InstructionId, Intrinsic, Opcode, Operand,
    Program, Type, TypeId, TypeLayouts, View,
};
use rustc_hash::FxHashSet;

/// An array that ends a struct, and may be longer than its type says, has so many elements.
const FLEXIBLE: u64 = 8;

/// One version's bodies.
pub(super) struct Walk<'a, 'c> {
    pub(super) collector: &'c mut Collector,
    pub(super) program: &'a Program,
    pub(super) layouts: TypeLayouts,
    pub(super) side: Side,
    pub(super) reached: FxHashSet<FunctionId>,
    pub(super) work: Vec<FunctionId>,
}

impl<'a> Walk<'a, '_> {
    pub(super) fn function(&mut self, function: FunctionId) {
        let Some(body) = self.program.function(function).body.as_deref() else {
            return;
        };
        for id in body.instruction_ids() {
            self.instruction(function, body, id);
        }
    }

    fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.program.type_of(id), Type::Pointer(_))
    }

    fn instruction(&mut self, function: FunctionId, body: &'a Body, id: InstructionId) {
        let row = *body.instruction(id);
        let operands = body.operands(id);
        for operand in operands {
            if let Operand::Constant(constant) = operand {
                self.note_constant(*constant, 0);
            }
        }
        let own = (self.side, function, Key::Instruction(id));
        match body.view(id) {
            View::Load { address } => {
                let Some(spot) = self.spot(function, address) else {
                    return;
                };
                let size = self.layouts.store_size(row.type_id);
                let is_pointer = self.is_pointer(row.type_id);
                self.collector.align(spot, row.detail);
                if let Some(pointee) = self.collector.access(spot, size, is_pointer) {
                    self.set(own, Spot::at(pointee));
                }
            }
            View::Store { value, address } => {
                let Some(spot) = self.spot(function, address) else {
                    return;
                };
                let type_id = self.type_of(function, body, value);
                let Some(type_id) = type_id else { return };
                let size = self.layouts.store_size(type_id);
                let is_pointer = self.is_pointer(type_id);
                self.collector.align(spot, row.detail);
                let pointee = self.collector.access(spot, size, is_pointer);
                if let (Some(pointee), Some(value)) = (pointee, self.spot(function, value)) {
                    self.collector.join(Spot::at(pointee), value);
                }
            }
            View::GetElementPointer {
                base,
                indices,
                element,
            } => {
                let Some(base) = self.spot(function, base) else {
                    return;
                };
                let indices: Vec<Option<i64>> = indices
                    .iter()
                    .map(|operand| self.known_number(*operand))
                    .collect();
                let spot = self.moved(base, element, &indices);
                self.set(own, spot);
            }
            View::Phi { incoming } => self.set_same(function, own, incoming.values()),
            View::Select {
                condition: _,
                then,
                otherwise,
            } => self.set_same(function, own, [then, otherwise]),
            View::Freeze { value }
            | View::Cast {
                operation: Cast::BitCast | Cast::AddressSpaceCast,
                value,
            } => self.set_same(function, own, [value]),
            View::Alloca { .. } => {
                if !self.collector.places.contains_key(&own) {
                    let node = self.collector.node();
                    self.set(own, Spot::at(node));
                }
            }
            View::IntegerCompare { left, right } => {
                if let (Some(one), Some(two)) =
                    (self.spot(function, left), self.spot(function, right))
                    && self.collector.root(one.node) != self.collector.root(two.node)
                {
                    // Compared pointers may be equal; where they are inside is not told.
                    self.collector.join(Spot::at(one.node), Spot::at(two.node));
                }
            }
            View::Return { value } => {
                if let Some(spot) = value.and_then(|value| self.spot(function, value)) {
                    self.set((self.side, function, Key::Result), spot);
                }
            }
            View::Call(_) => self.call(function, body, id),
            // No shape follows from these: inputs are made without what they would say.
            View::Binary { .. }
            | View::Cast { .. }
            | View::FloatNegate { .. }
            | View::FloatCompare { .. }
            | View::CompareExchange { .. }
            | View::AtomicReadModifyWrite { .. }
            | View::Fence
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::Resume { .. }
            | View::Unreachable
            | View::ExtractValue { .. }
            | View::InsertValue { .. }
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. }
            | View::VariadicArgument { .. }
            | View::LandingPad { .. }
            | View::Pad { .. }
            | View::CatchSwitch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. }
            | View::Opaque { .. } => {}
        }
    }

    /// The value is one of these.
    fn set_same(
        &mut self,
        function: FunctionId,
        own: (Side, FunctionId, Key),
        values: impl IntoIterator<Item = Operand>,
    ) {
        for value in values {
            if let Some(spot) = self.spot(function, value) {
                self.set(own, spot);
            }
        }
    }

    fn call(&mut self, function: FunctionId, body: &'a Body, id: InstructionId) {
        let own = (self.side, function, Key::Instruction(id));
        let arguments = body.arguments(id);
        let spots: Vec<Option<Spot>> = arguments
            .iter()
            .map(|argument| self.spot(function, *argument))
            .collect();
        let callee = match body.callee(id) {
            Some(Operand::Constant(constant)) => match self.program.constant(constant) {
                Constant::Function(callee) => Some(*callee),
                _ => None,
            },
            _ => None,
        };
        let returns_pointer = self.is_pointer(body.instruction(id).type_id);
        let Some(callee) = callee else {
            self.collector.calls_pointers = true;
            return;
        };
        let row = self.program.function(callee);
        if row.body.is_some() {
            self.work.push(callee);
            for (number, spot) in spots.into_iter().enumerate() {
                if let Some(spot) = spot {
                    let key = (self.side, callee, Key::Argument(number as u32));
                    self.set(key, spot);
                }
            }
            if returns_pointer {
                let key = (self.side, callee, Key::Result);
                let result = self.collector.places.get(&key).copied();
                let result = result.unwrap_or_else(|| Spot::at(self.collector.node()));
                self.set(key, result);
                self.set(own, result);
            }
            return;
        }
        let name = self.program.name(row.name).to_owned();
        let intrinsic = Intrinsic::of_name(&name);
        let moves = intrinsic.is_some_and(Intrinsic::copies_memory);
        for spot in spots.iter().flatten() {
            let root = self.collector.root(spot.node);
            self.collector.nodes[root as usize].is_given_away = true;
        }
        if let Some((at, stream)) = stream_argument(&name)
            && let Some(Some(spot)) = spots.get(usize::from(at))
        {
            let root = self.collector.root(spot.node);
            let known = &mut self.collector.nodes[root as usize].stream;
            *known = (*known).max(Some(stream));
        }
        if intrinsic.is_some_and(Intrinsic::moves_memory) {
            for spot in spots.iter().take(2).flatten() {
                self.access_array(*spot);
            }
        }
        if moves && let (Some(Some(one)), Some(Some(two))) = (spots.first(), spots.get(1)) {
            let (one, two) = (*one, *two);
            if one.offset == two.offset {
                self.collector.join(one, two);
            }
        }
        for (number, argument) in arguments.iter().enumerate() {
            let found = padding(self.program, body, *argument);
            if found != 0 {
                let known = self.collector.padding.entry((name.clone(), number));
                *known.or_default() |= found;
            }
        }
        let mut given: Vec<Option<u32>> = Vec::new();
        for spot in &spots {
            given.push(spot.map(|spot| spot.node));
        }
        let known = self.collector.externals.entry(name.clone()).or_default();
        if known.len() < given.len() {
            *known = given;
        }
        if returns_pointer {
            let given = spots.first().copied().flatten();
            let is_given = library().facts(&name).replayed.returns_into_first;
            let spot = match given.filter(|_| is_given) {
                Some(spot) => spot,
                None if self.collector.places.contains_key(&own) => return,
                None => Spot::at(self.collector.node()),
            };
            self.set(own, spot);
        }
    }

    /// Bytes of an array of integers are moved or set: its elements are accessed.
    fn access_array(&mut self, spot: Spot) {
        let (count, step) = match spot.array {
            Some(array) => array,
            None => (spot.count, spot.step),
        };
        if spot.has_integers && count > 1 {
            let whole = Spot {
                count,
                step,
                array: None,
                ..spot
            };
            self.collector.access(whole, step, false);
        }
    }

    /// A value is, or may also be, this pointer.
    fn set(&mut self, value: (Side, FunctionId, Key), spot: Spot) {
        match self.collector.places.get(&value).copied() {
            None => {
                self.collector.places.insert(value, spot);
            }
            Some(known) if known != spot => self.collector.join(known, spot),
            Some(_) => {}
        }
    }

    fn spot(&mut self, function: FunctionId, operand: Operand) -> Option<Spot> {
        match operand {
            Operand::Instruction(id) => {
                let key = (self.side, function, Key::Instruction(id));
                self.collector.places.get(&key).copied()
            }
            Operand::Argument(number) => {
                let row = self
                    .program
                    .function(function)
                    .parameters
                    .get(number as usize)?;
                if !self.is_pointer(row.type_id) {
                    return None;
                }
                let key = (self.side, function, Key::Argument(number));
                if !self.collector.places.contains_key(&key) {
                    let node = self.collector.node();
                    self.collector.places.insert(key, Spot::at(node));
                }
                self.collector.places.get(&key).copied()
            }
            Operand::Constant(id) => self.constant_spot(id),
            Operand::Block(_) | Operand::Index(_) => None,
        }
    }

    fn constant_spot(&mut self, id: ConstantId) -> Option<Spot> {
        match self.program.constant(id) {
            Constant::Global(global) => {
                let row = &self.program.globals[global.index()];
                let name = self.program.name(row.name).to_owned();
                if let Some(node) = self.collector.globals.get(&name) {
                    return Some(Spot::at(*node));
                }
                let node = self.collector.node();
                self.collector.globals.insert(name, node);
                Some(Spot::at(node))
            }
            Constant::Expression(expression) if expression.opcode == Opcode::GetElementPointer => {
                let base = self.constant_spot(*expression.operands.first()?)?;
                let indices: Vec<Option<i64>> = expression.operands[1..]
                    .iter()
                    .map(|operand| self.known_number(Operand::Constant(*operand)))
                    .collect();
                Some(self.moved(base, expression.element_type, &indices))
            }
            _ => None,
        }
    }

    fn known_number(&self, operand: Operand) -> Option<i64> {
        let Operand::Constant(id) = operand else {
            return None;
        };
        match self.program.constant(id) {
            Constant::Integer { type_id, bits } => {
                let width = match self.program.type_of(*type_id) {
                    Type::Integer(width) => (*width).min(64),
                    _ => 64,
                };
                let shift = 64 - width;
                Some(((*bits as u64) << shift) as i64 >> shift)
            }
            _ => None,
        }
    }

    /// The pointer that `getelementptr` makes.
    fn moved(&mut self, base: Spot, element: TypeId, indices: &[Option<i64>]) -> Spot {
        let mut spot = base;
        let array = spot.array.take();
        let mut at = element;
        for (number, index) in indices.iter().enumerate() {
            if number == 0 {
                let size = self.layouts.size_of(at);
                if spot.offset == 0 && spot.count == 1 {
                    let root = self.collector.root(spot.node);
                    let row = &mut self.collector.nodes[root as usize];
                    if row.stride == 0 {
                        row.size = row.size.max(size);
                    }
                }
                match index {
                    Some(0) if indices.len() == 1 => spot.array = array,
                    Some(0) => {}
                    Some(index) => {
                        let moved = spot.offset as i64 + index * size as i64;
                        if moved < 0 || spot.count > 1 {
                            self.collector.repeat_and_join(spot.node, size);
                        } else {
                            spot.offset = moved as u64;
                        }
                    }
                    None => match array {
                        Some((count, step)) if step == size && spot.count == 1 => {
                            spot.count = count;
                            spot.step = step;
                        }
                        _ => self.collector.repeat_and_join(spot.node, size),
                    },
                }
                continue;
            }
            match self.program.type_of(at) {
                Type::Struct { fields, .. } => {
                    spot.has_integers = false;
                    let field = index.unwrap_or(0) as usize;
                    spot.offset += self.layouts.field_offset(at, field).unwrap_or(0);
                    match fields.get(field) {
                        Some(inner) => at = *inner,
                        None => return spot,
                    }
                }
                Type::Array { element, count } => {
                    let size = self.layouts.size_of(*element);
                    let integers = matches!(self.program.type_of(*element), Type::Integer(_));
                    spot.has_integers = integers;
                    let count = match count {
                        0 | 1 => FLEXIBLE,
                        count => *count,
                    };
                    match index {
                        Some(index) => {
                            let moved = spot.offset as i64 + index * size as i64;
                            spot.offset = moved.max(0) as u64;
                            if *index == 0 && spot.count == 1 {
                                spot.array = Some((count, size));
                            }
                        }
                        None if spot.count == 1 || spot.step == size * count => {
                            spot.count *= count;
                            spot.step = size;
                        }
                        None => {}
                    }
                    at = *element;
                }
                _ => return spot,
            }
        }
        spot
    }

    fn type_of(&self, function: FunctionId, body: &Body, operand: Operand) -> Option<TypeId> {
        match operand {
            Operand::Instruction(id) => Some(body.instruction(id).type_id),
            Operand::Argument(number) => {
                let parameters = &self.program.function(function).parameters;
                Some(parameters.get(number as usize)?.type_id)
            }
            Operand::Constant(id) => match self.program.constant(id) {
                Constant::Integer { type_id, .. }
                | Constant::Float { type_id, .. }
                | Constant::Null(type_id)
                | Constant::Zero(type_id) => Some(*type_id),
                Constant::Global(_) | Constant::Function(_) => {
                    let pointer = Type::Pointer(0);
                    let rows = self.program.types.rows().iter();
                    let at = rows.into_iter().position(|row| *row == pointer)?;
                    Some(TypeId::from_index(at))
                }
                _ => None,
            },
            Operand::Block(_) | Operand::Index(_) => None,
        }
    }

    /// Numbers and strings are remembered: inputs are made of them.
    fn note_constant(&mut self, id: ConstantId, depth: usize) {
        if depth > 3 {
            return;
        }
        match self.program.constant(id) {
            Constant::Integer { .. } => {
                if let Some(number) = self.known_number(Operand::Constant(id)) {
                    self.collector.numbers.insert(number as u64);
                }
            }
            Constant::Bytes { bytes, .. } if bytes.len() < 256 => {
                let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                self.collector.texts.insert(text.to_vec());
            }
            Constant::Aggregate { elements, .. } => {
                for element in elements.iter().take(64) {
                    self.note_constant(*element, depth + 1);
                }
            }
            Constant::Global(global) => {
                let row = &self.program.globals[global.index()];
                if let Some(initialiser) = row.initialiser.filter(|_| row.is_constant) {
                    self.note_constant(initialiser, depth + 1);
                }
            }
            Constant::Expression(expression) => {
                for operand in &expression.operands {
                    self.note_constant(*operand, depth + 1);
                }
            }
            _ => {}
        }
    }
}

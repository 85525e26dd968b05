//! Which constraints does each instruction give?

use super::arithmetic::Step;
use super::constraints::{Constraints, clamp, integer};
use super::objects::ObjectKind;
use super::solver::{NodeId, OUTSIDE, PointerCall, Use};
use knockon_program::{Binary, Body, FunctionId, InstructionId, Operand, Type, TypeId, View};

impl Constraints<'_> {
    pub(super) fn function(&mut self, id: FunctionId, body: &Body) {
        for instruction in body.instruction_ids() {
            self.instruction(id, body, instruction);
        }
    }

    pub(super) fn instruction(&mut self, function: FunctionId, body: &Body, id: InstructionId) {
        let result = self.value(function, Operand::Instruction(id));
        match body.view(id) {
            View::Alloca { count, content } => {
                let one = match count {
                    Operand::Constant(count) => integer(self.program, count) == Some(1),
                    _ => false,
                };
                let kind = ObjectKind::Local(function, id);
                let object = self.solver.objects.add(kind, one.then_some(content));
                let location = self.solver.objects.location(object, 0);
                if let Some(result) = result {
                    self.solver.insert(result, location);
                }
            }
            View::Load { address } => {
                if let (Some(to), Some(address)) = (result, self.value(function, address)) {
                    let type_id = body.instruction(id).type_id;
                    let size = clamp(self.solver.objects.layouts.store_size(type_id));
                    let loaded = self.solver.loaded(address, size);
                    self.solver.copy(loaded, to);
                }
            }
            View::Store { value, address } => self.store(function, body, value, address),
            View::CompareExchange {
                address,
                expected: _,
                replacement,
            } => {
                self.exchanged(function, address, result);
                self.store(function, body, replacement, address);
            }
            View::AtomicReadModifyWrite { address, value } => {
                self.exchanged(function, address, result);
                // The sum of an address and a number, say: any offset.
                if let (Some(from), Some(address)) =
                    (self.value(function, value), self.value(function, address))
                {
                    let moved = self.solver.node();
                    self.anywhere(from, moved);
                    self.solver.copy(from, moved);
                    self.solver.store(address, moved, 8);
                }
            }
            View::GetElementPointer {
                base,
                indices,
                element,
            } => {
                let Some(to) = result else { return };
                match self.value(function, base) {
                    Some(base) => {
                        let steps = self.address_steps(element, indices);
                        let moved = self.moved(base, steps);
                        self.solver.copy(moved, to);
                    }
                    // An address that was an integer.
                    None => self.any_offset_of(function, indices, to),
                }
            }
            View::Binary {
                operation,
                left,
                right,
            } => {
                if let Some(to) = result {
                    self.binary(function, operation, left, right, to);
                }
            }
            View::Call(_) => self.call(function, body, id, result),
            View::Return { value } => {
                let to = self.solver.interfaces[function.index()]
                    .as_ref()
                    .map(|interface| interface.result);
                if let Some(to) = to {
                    self.copies(function, value, to);
                }
            }
            View::Phi { incoming } => self.copies_result(function, incoming.values(), result),
            View::ExtractValue {
                aggregate,
                indices: _,
            } => self.copies_result(function, [aggregate], result),
            View::InsertValue {
                aggregate,
                value,
                indices: _,
            } => self.copies_result(function, [aggregate, value], result),
            View::ExtractElement { vector, index } => {
                self.copies_result(function, [vector, index], result);
            }
            View::InsertElement {
                vector,
                value,
                index,
            } => self.copies_result(function, [vector, value, index], result),
            View::ShuffleVector { left, right, mask } => {
                self.copies_result(function, [left, right, mask], result);
            }
            View::Select {
                condition: _,
                then,
                otherwise,
            } => self.copies_result(function, [then, otherwise], result),
            View::Freeze { value }
            | View::Cast {
                operation: _,
                value,
            } => self.copies_result(function, [value], result),
            View::VariadicArgument { list } => {
                if let (Some(to), Some(list)) = (result, self.value(function, list)) {
                    let reached = self.reachable(list);
                    self.solver.copy(reached, to);
                }
            }
            View::LandingPad { clauses: _ } => {
                if let Some(to) = result {
                    let object = self.library_object("unwinding");
                    let pointer = self.pointer_to(object, 0);
                    self.solver.attach(pointer, Use::LoadAll { to });
                    self.solver.copy(OUTSIDE, to);
                }
            }
            View::Opaque { operands } | View::Pad { operands } | View::CatchSwitch { operands } => {
                self.unknown(function, operands, result)
            }
            View::Resume { value } => self.unknown(function, &[value], result),
            // No pointer comes out of these.
            View::FloatNegate { .. }
            | View::IntegerCompare { .. }
            | View::FloatCompare { .. }
            | View::Fence
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. }
            | View::Unreachable => {}
        }
    }

    fn binary(
        &mut self,
        function: FunctionId,
        operation: Binary,
        left: Operand,
        right: Operand,
        to: NodeId,
    ) {
        match operation {
            Binary::Add | Binary::Subtract => {
                let constant = match right {
                    Operand::Constant(constant) => integer(self.program, constant),
                    _ => None,
                };
                match (constant, self.value(function, left)) {
                    (Some(distance), Some(base)) => {
                        let distance = match operation {
                            Binary::Subtract => distance.wrapping_neg(),
                            _ => distance,
                        };
                        let moved = self.moved(base, vec![Step::By(distance)]);
                        self.solver.copy(moved, to);
                    }
                    (Some(_), None) => {}
                    (None, _) => self.any_offset_of(function, &[left, right], to),
                }
            }
            Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::ShiftLeft
            | Binary::LogicalShiftRight
            | Binary::ArithmeticShiftRight => {
                self.any_offset_of(function, &[left, right], to);
                self.copies(function, [left, right], to);
            }
            // Products, quotients and floats lead nowhere.
            Binary::Multiply
            | Binary::UnsignedDivide
            | Binary::SignedDivide
            | Binary::UnsignedRemainder
            | Binary::SignedRemainder
            | Binary::FloatAdd
            | Binary::FloatSubtract
            | Binary::FloatMultiply
            | Binary::FloatDivide
            | Binary::FloatRemainder => {}
        }
    }

    /// What stood there before.
    fn exchanged(&mut self, function: FunctionId, address: Operand, result: Option<NodeId>) {
        if let (Some(to), Some(address)) = (result, self.value(function, address)) {
            let loaded = self.solver.loaded(address, 8);
            self.solver.copy(loaded, to);
        }
    }

    /// It may do anything with what it is given, and give anything.
    fn unknown(&mut self, function: FunctionId, operands: &[Operand], result: Option<NodeId>) {
        self.copies(function, operands.iter().copied(), OUTSIDE);
        if let Some(to) = result {
            self.solver.copy(OUTSIDE, to);
        }
    }

    fn copies_result(
        &mut self,
        function: FunctionId,
        operands: impl IntoIterator<Item = Operand>,
        result: Option<NodeId>,
    ) {
        if let Some(to) = result {
            self.copies(function, operands, to);
        }
    }

    pub(super) fn copies(
        &mut self,
        function: FunctionId,
        operands: impl IntoIterator<Item = Operand>,
        to: NodeId,
    ) {
        for operand in operands {
            if let Some(from) = self.value(function, operand) {
                self.solver.copy(from, to);
            }
        }
    }

    pub(super) fn any_offset_of(&mut self, function: FunctionId, operands: &[Operand], to: NodeId) {
        for operand in operands {
            if let Some(from) = self.value(function, *operand) {
                self.anywhere(from, to);
            }
        }
    }

    pub(super) fn store(
        &mut self,
        function: FunctionId,
        body: &Body,
        value: Operand,
        address: Operand,
    ) {
        let size = match value {
            Operand::Instruction(id) => self
                .solver
                .objects
                .layouts
                .store_size(body.instruction(id).type_id),
            Operand::Argument(number) => {
                let parameters = &self.program.function(function).parameters;
                parameters.get(number as usize).map_or(8, |parameter| {
                    self.solver.objects.layouts.store_size(parameter.type_id)
                })
            }
            _ => u64::from(self.program.layout.pointer_size),
        };
        if let (Some(from), Some(address)) =
            (self.value(function, value), self.value(function, address))
        {
            self.solver.store(address, from, clamp(size));
        }
    }

    /// The steps of a `getelementptr`.
    pub(super) fn address_steps(&self, source: TypeId, indices: &[Operand]) -> Vec<Step> {
        let program = self.program;
        let mut steps: Vec<Step> = Vec::new();
        let mut distance = 0i64;
        let mut type_id = source;
        for (number, index) in indices.iter().enumerate() {
            let constant = match index {
                Operand::Constant(constant) => integer(program, *constant),
                _ => None,
            };
            let (element, count) = match (number, program.type_of(type_id)) {
                (0, _) => (type_id, None),
                (_, Type::Struct { fields, .. }) => {
                    let field = constant.unwrap_or(0) as usize;
                    let start = self
                        .solver
                        .objects
                        .layouts
                        .field_offset(type_id, field)
                        .unwrap_or(0);
                    distance = distance.wrapping_add(start as i64);
                    if let Some(next) = fields.get(field) {
                        type_id = *next;
                    }
                    continue;
                }
                (_, Type::Array { element, count }) => (*element, Some(*count)),
                (_, Type::Vector { element, count, .. }) => (*element, Some(*count)),
                _ => (type_id, None),
            };
            let stride = self.solver.objects.layouts.size_of(element);
            type_id = element;
            match constant {
                Some(value) => {
                    distance = distance.wrapping_add(value.wrapping_mul(stride as i64));
                }
                None => {
                    if distance != 0 {
                        steps.push(Step::By(distance));
                        distance = 0;
                    }
                    // A last array of none or one element is longer than it says.
                    let count = count.filter(|count| *count > 1);
                    steps.push(Step::Multiple { stride, count });
                }
            }
        }
        if distance != 0 {
            steps.push(Step::By(distance));
        }
        steps
    }

    pub(super) fn call(
        &mut self,
        function: FunctionId,
        body: &Body,
        id: InstructionId,
        result: Option<NodeId>,
    ) {
        let Some(callee) = body.callee(id) else {
            return;
        };
        let arguments: Vec<NodeId> = body
            .arguments(id)
            .iter()
            .map(|argument| match self.value(function, *argument) {
                Some(node) => node,
                None => self.solver.node(),
            })
            .collect();
        let result = result.unwrap_or_else(|| self.solver.node());
        let named = match callee {
            Operand::Constant(constant) => self.program.called_function(constant),
            _ => None,
        };
        match named {
            Some(target) if self.program.function(target).body.is_some() => {
                self.solver.bind(target, &arguments, result);
            }
            Some(target) => self.external(function, body, id, target, &arguments, result),
            None => match self.value(function, callee) {
                Some(pointer) => {
                    let number = self.solver.calls.len() as u32;
                    self.solver.calls.push(PointerCall::new(arguments, result));
                    self.pointer_calls.push((function, id));
                    self.solver.attach(pointer, Use::Call(number));
                }
                // Inline assembly, or a number that is called.
                None => self.unknown_code(function, id, &arguments, result),
            },
        }
    }
}

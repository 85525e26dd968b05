//! Which constraints does each instruction give?

use super::arithmetic::Step;
use super::constraints::{Constraints, clamp, integer};
use super::objects::ObjectKind;
use super::solver::{NodeId, OUTSIDE, PointerCall, Use};
use knockon_program::{Body, FunctionId, InstructionId, Opcode, Operand, Type, TypeId};

impl Constraints<'_> {
    pub(super) fn function(&mut self, id: FunctionId, body: &Body) {
        for instruction in body.instruction_ids() {
            self.instruction(id, body, instruction);
        }
    }

    pub(super) fn instruction(&mut self, function: FunctionId, body: &Body, id: InstructionId) {
        let row = body.instruction(id);
        let operands = body.operands(id);
        let result = self.value(function, Operand::Instruction(id));
        let program = self.program;
        match row.opcode {
            Opcode::Alloca => {
                let one = match operands.first() {
                    Some(Operand::Constant(count)) => integer(program, *count) == Some(1),
                    _ => false,
                };
                let content = one.then_some(TypeId(row.extra));
                let kind = ObjectKind::Local(function, id);
                let object = self.solver.objects.add(kind, content);
                let location = self.solver.objects.location(object, 0);
                if let Some(result) = result {
                    self.solver.insert(result, location);
                }
            }
            Opcode::Load => {
                if let (Some(to), Some(address)) = (result, self.value(function, operands[0])) {
                    let size = clamp(self.solver.objects.layouts.store_size(row.type_id));
                    let loaded = self.solver.loaded(address, size);
                    self.solver.copy(loaded, to);
                }
            }
            Opcode::Store => self.store(function, body, operands[0], operands[1]),
            Opcode::CompareExchange => {
                if let (Some(to), Some(address)) = (result, self.value(function, operands[0])) {
                    let loaded = self.solver.loaded(address, 8);
                    self.solver.copy(loaded, to);
                }
                self.store(function, body, operands[2], operands[0]);
            }
            Opcode::AtomicReadModifyWrite => {
                if let (Some(to), Some(address)) = (result, self.value(function, operands[0])) {
                    let loaded = self.solver.loaded(address, 8);
                    self.solver.copy(loaded, to);
                }
                // The sum of an address and a number, say: any offset.
                if let (Some(from), Some(address)) = (
                    self.value(function, operands[1]),
                    self.value(function, operands[0]),
                ) {
                    let moved = self.solver.node();
                    self.anywhere(from, moved);
                    self.solver.copy(from, moved);
                    self.solver.store(address, moved, 8);
                }
            }
            Opcode::GetElementPointer => {
                let Some(to) = result else { return };
                match self.value(function, operands[0]) {
                    Some(base) => {
                        let steps = self.address_steps(TypeId(row.extra), &operands[1..]);
                        let moved = self.moved(base, steps);
                        self.solver.copy(moved, to);
                    }
                    // An address that was an integer.
                    None => self.any_offset_of(function, &operands[1..], to),
                }
            }
            Opcode::Add | Opcode::Subtract => {
                let Some(to) = result else { return };
                let constant = match operands[1] {
                    Operand::Constant(constant) => integer(program, constant),
                    _ => None,
                };
                match (constant, self.value(function, operands[0])) {
                    (Some(distance), Some(base)) => {
                        let distance = match row.opcode {
                            Opcode::Subtract => distance.wrapping_neg(),
                            _ => distance,
                        };
                        let moved = self.moved(base, vec![Step::By(distance)]);
                        self.solver.copy(moved, to);
                    }
                    (Some(_), None) => {}
                    (None, _) => self.any_offset_of(function, operands, to),
                }
            }
            Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::ShiftLeft
            | Opcode::LogicalShiftRight
            | Opcode::ArithmeticShiftRight => {
                if let Some(to) = result {
                    self.any_offset_of(function, operands, to);
                    self.copies(function, operands, to);
                }
            }
            Opcode::Call | Opcode::Invoke | Opcode::CallBr => self.call(function, body, id, result),
            Opcode::Return => {
                let to = self.solver.interfaces[function.index()]
                    .as_ref()
                    .map(|interface| interface.result);
                if let Some(to) = to {
                    self.copies(function, operands, to);
                }
            }
            Opcode::Phi
            | Opcode::ExtractValue
            | Opcode::InsertValue
            | Opcode::ExtractElement
            | Opcode::InsertElement
            | Opcode::ShuffleVector => {
                if let Some(to) = result {
                    self.copies(function, operands, to);
                }
            }
            Opcode::Select => {
                if let Some(to) = result {
                    self.copies(function, &operands[1..], to);
                }
            }
            Opcode::Freeze => {
                if let Some(to) = result {
                    self.copies(function, operands, to);
                }
            }
            Opcode::VariadicArgument => {
                if let (Some(to), Some(list)) = (result, self.value(function, operands[0])) {
                    let reached = self.reachable(list);
                    self.solver.copy(reached, to);
                }
            }
            Opcode::LandingPad => {
                if let Some(to) = result {
                    let object = self.library_object("unwinding");
                    let pointer = self.pointer_to(object, 0);
                    self.solver.attach(pointer, Use::LoadAll { to });
                    self.solver.copy(OUTSIDE, to);
                }
            }
            Opcode::Opaque
            | Opcode::CatchPad
            | Opcode::CleanupPad
            | Opcode::CatchSwitch
            | Opcode::Resume => {
                self.copies(function, operands, OUTSIDE);
                if let Some(to) = result {
                    self.solver.copy(OUTSIDE, to);
                }
            }
            opcode if opcode.is_cast() => {
                if let Some(to) = result {
                    self.copies(function, operands, to);
                }
            }
            _ => {}
        }
    }

    pub(super) fn copies(&mut self, function: FunctionId, operands: &[Operand], to: NodeId) {
        for operand in operands {
            if let Some(from) = self.value(function, *operand) {
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

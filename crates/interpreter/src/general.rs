//! Instructions on values of any shape, straight from their rows.

use crate::code::{Code, Slot};
use crate::constants::constant_type;
use crate::evaluate::{Operation, evaluate};
use crate::machine::Machine;
use crate::memory::Site;
use crate::memory_access::{alignment_mask, checked_address};
use crate::registers::Bases;
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};
use knockon_program::{
    AtomicOperation, Body, Flags, FunctionId, InstructionId, Opcode, Operand, Program, Type, TypeId,
};

/// Where control goes after an instruction.
pub(crate) enum Flow {
    Next,
    /// Along this edge.
    Take(u32),
}

/// The type of an operand that is a value.
pub(crate) fn operand_type(
    program: &Program,
    function: FunctionId,
    body: &Body,
    operand: Operand,
    pointer: TypeId,
) -> Option<TypeId> {
    match operand {
        Operand::Instruction(id) => Some(body.instruction(id).type_id),
        Operand::Argument(number) => program
            .function(function)
            .parameters
            .get(number as usize)
            .map(|parameter| parameter.type_id),
        Operand::Constant(id) => Some(constant_type(program, id, pointer)),
        Operand::Block(_) | Operand::Index(_) => None,
    }
}

fn scalar_of(value: &Value) -> Scalar {
    match value {
        Value::Scalar(scalar) => *scalar,
        _ => Scalar::undefined(64),
    }
}

impl Machine<'_> {
    /// Executes the instruction whose action is [`crate::code::Action::General`].
    pub(crate) fn general(
        &mut self,
        code: &Code,
        bases: Bases,
        id: InstructionId,
    ) -> Outcome<Flow> {
        let program = self.program;
        let Some(body) = &program.function(code.function).body else {
            return unsupported("an instruction without a function");
        };
        let row = body.instruction(id);
        let mut values = Vec::with_capacity(row.operand_count as usize);
        let mut types = Vec::with_capacity(row.operand_count as usize);
        for (index, operand) in body.operands(id).iter().enumerate() {
            let slot = code.operands[row.first_operand as usize + index];
            if slot != Slot::NONE
                && let Some(type_id) =
                    operand_type(program, code.function, body, *operand, self.pointer_type)
            {
                values.push(self.read(code, bases, slot));
                types.push(type_id);
            }
        }
        let result = match row.opcode {
            Opcode::Load => {
                let alignment = u64::from(alignment_mask(row.detail));
                let address = checked_address(scalar_of(&values[0]), alignment)?;
                self.load_value(address, row.type_id)?
            }
            Opcode::Store => {
                let alignment = u64::from(alignment_mask(row.detail));
                let address = checked_address(scalar_of(&values[1]), alignment)?;
                self.store_value(address, types[0], &values[0])?;
                return Ok(Flow::Next);
            }
            Opcode::Alloca => {
                let site = self.memory.site(Site::Instruction(code.function, id));
                let size = self.array_size(TypeId(row.extra), scalar_of(&values[0]), types[0])?;
                Value::integer(self.allocate_stack(size, site)?)
            }
            Opcode::Fence => return Ok(Flow::Next),
            Opcode::CompareExchange => {
                let address =
                    checked_address(scalar_of(&values[0]), u64::from(alignment_mask(row.detail)))?;
                let old = self.load_value(address, types[1])?;
                let equal = old == values[1] && old.is_defined();
                if equal {
                    self.store_value(address, types[2], &values[2])?;
                }
                Value::pair(old, Value::integer(u64::from(equal)))
            }
            Opcode::AtomicReadModifyWrite => {
                let address = checked_address(scalar_of(&values[0]), 0)?;
                let old = self.load_value(address, types[1])?;
                let new = combined(program, row.detail, types[1], &old, &values[1])?;
                self.store_value(address, types[1], &new)?;
                old
            }
            Opcode::ExtractValue => {
                let mut value = &values[0];
                for index in indices(body, id) {
                    match value.elements().get(index) {
                        Some(element) => value = element,
                        None => return unsupported("an index beyond an aggregate"),
                    }
                }
                value.clone()
            }
            Opcode::InsertValue => {
                let path: Vec<usize> = indices(body, id).collect();
                inserted(&values[0], &values[1], &path)?
            }
            Opcode::IndirectBranch => return self.indirect_branch(code, id, scalar_of(&values[0])),
            Opcode::VariadicArgument => return unsupported("the instruction va_arg"),
            Opcode::GetElementPointer => return unsupported("a vector of addresses"),
            Opcode::Opaque => return unsupported("an instruction that the reader does not know"),
            // What computes; what an evaluation of values does not know ends the run there.
            Opcode::FloatNegate
            | Opcode::Add
            | Opcode::FloatAdd
            | Opcode::Subtract
            | Opcode::FloatSubtract
            | Opcode::Multiply
            | Opcode::FloatMultiply
            | Opcode::UnsignedDivide
            | Opcode::SignedDivide
            | Opcode::FloatDivide
            | Opcode::UnsignedRemainder
            | Opcode::SignedRemainder
            | Opcode::FloatRemainder
            | Opcode::ShiftLeft
            | Opcode::LogicalShiftRight
            | Opcode::ArithmeticShiftRight
            | Opcode::And
            | Opcode::Or
            | Opcode::Xor
            | Opcode::ExtractElement
            | Opcode::InsertElement
            | Opcode::ShuffleVector
            | Opcode::Truncate
            | Opcode::ZeroExtend
            | Opcode::SignExtend
            | Opcode::FloatTruncate
            | Opcode::FloatExtend
            | Opcode::FloatToUnsigned
            | Opcode::FloatToSigned
            | Opcode::UnsignedToFloat
            | Opcode::SignedToFloat
            | Opcode::PointerToInteger
            | Opcode::IntegerToPointer
            | Opcode::BitCast
            | Opcode::AddressSpaceCast
            | Opcode::IntegerCompare
            | Opcode::FloatCompare
            | Opcode::Select
            | Opcode::Freeze
            | Opcode::Phi
            | Opcode::LandingPad
            | Opcode::CatchPad
            | Opcode::CleanupPad
            | Opcode::CatchSwitch
            | Opcode::CatchReturn
            | Opcode::CleanupReturn
            | Opcode::Resume
            | Opcode::Return
            | Opcode::Branch
            | Opcode::Switch
            | Opcode::Unreachable
            | Opcode::Call
            | Opcode::Invoke
            | Opcode::CallBr => {
                let operation = Operation {
                    opcode: row.opcode,
                    flags: row.flags,
                    detail: row.detail,
                    result: row.type_id,
                    operand_types: &types,
                };
                evaluate(program, &operation, &values)?
            }
        };
        self.write_result(code.results[id.index()], result);
        Ok(Flow::Next)
    }

    /// The bytes of `count` elements, as a variable length array or `alloca` asks for them.
    fn array_size(&self, element: TypeId, count: Scalar, count_type: TypeId) -> Outcome<u64> {
        if !count.is_defined() {
            return undefined(
                UndefinedBehaviour::Uninitialised,
                "the length of an array is not initialised",
            );
        }
        let size = self.program.size_of(element);
        let negative = match self.program.type_of(count_type) {
            Type::Integer(width) => crate::value::sign_extend(count.bits, *width) < 0,
            _ => false,
        };
        // `alloca(0)` allocates bytes; an array of anything larger was declared with its length.
        // A negative length may have been zero-extended before it gets here.
        let absurd = count.bits >= 1 << 31;
        if negative || absurd || count.bits == 0 && size > 1 {
            return undefined(
                UndefinedBehaviour::ArrayLength,
                "an array whose length is not positive",
            );
        }
        Ok(size.saturating_mul(count.bits))
    }

    fn indirect_branch(&self, code: &Code, id: InstructionId, address: Scalar) -> Outcome<Flow> {
        if address.is_defined()
            && let Some(Site::Block(function, block)) = self.memory.code_at(address.bits)
            && function == code.function
            && let Some((_, _, edge)) = code
                .indirect_edges
                .iter()
                .find(|(branch, target, _)| *branch == id && *target == block.0)
        {
            return Ok(Flow::Take(*edge));
        }
        undefined(
            UndefinedBehaviour::InvalidCall,
            "a computed goto to an address that is not one of its labels",
        )
    }
}

fn indices(body: &Body, id: InstructionId) -> impl Iterator<Item = usize> + '_ {
    body.operands(id)
        .iter()
        .filter_map(|operand| match operand {
            Operand::Index(index) => Some(*index as usize),
            _ => None,
        })
}

fn inserted(aggregate: &Value, value: &Value, path: &[usize]) -> Outcome<Value> {
    let Some((first, rest)) = path.split_first() else {
        return Ok(value.clone());
    };
    let mut elements = aggregate.elements().to_vec();
    match elements.get_mut(*first) {
        Some(element) => *element = inserted(element, value, rest)?,
        None => return unsupported("an index beyond an aggregate"),
    }
    Ok(Value::Aggregate(elements.into()))
}

/// What `atomicrmw` stores.
fn combined(
    program: &Program,
    detail: u8,
    type_id: TypeId,
    old: &Value,
    operand: &Value,
) -> Outcome<Value> {
    let compute = |opcode: Opcode, detail: u8, left: &Value, right: &Value| {
        let operation = Operation {
            opcode,
            flags: Flags::NONE,
            detail,
            result: type_id,
            operand_types: &[type_id, type_id],
        };
        evaluate(program, &operation, &[left.clone(), right.clone()])
    };
    let choose = |predicate: knockon_program::IntegerPredicate| -> Outcome<Value> {
        let keep = compute(Opcode::IntegerCompare, predicate as u8, old, operand)?;
        Ok(if scalar_of(&keep) == Scalar::new(1) {
            old.clone()
        } else {
            operand.clone()
        })
    };
    use knockon_program::IntegerPredicate as P;
    match AtomicOperation::from_detail(detail) {
        Some(AtomicOperation::Exchange) => Ok(operand.clone()),
        Some(AtomicOperation::Add) => compute(Opcode::Add, 0, old, operand),
        Some(AtomicOperation::Subtract) => compute(Opcode::Subtract, 0, old, operand),
        Some(AtomicOperation::And) => compute(Opcode::And, 0, old, operand),
        Some(AtomicOperation::Or) => compute(Opcode::Or, 0, old, operand),
        Some(AtomicOperation::Xor) => compute(Opcode::Xor, 0, old, operand),
        Some(AtomicOperation::Nand) => {
            let both = compute(Opcode::And, 0, old, operand)?;
            let ones = match crate::shapes::scalar_width(program, type_id) {
                Some(width) => Value::from_wide(crate::value::Wide::new(u128::MAX), width),
                None => return unsupported("atomicrmw nand of this type"),
            };
            compute(Opcode::Xor, 0, &both, &ones)
        }
        Some(AtomicOperation::SignedMaximum) => choose(P::SignedGreater),
        Some(AtomicOperation::SignedMinimum) => choose(P::SignedLess),
        Some(AtomicOperation::UnsignedMaximum) => choose(P::UnsignedGreater),
        Some(AtomicOperation::UnsignedMinimum) => choose(P::UnsignedLess),
        Some(AtomicOperation::FloatAdd) => compute(Opcode::FloatAdd, 0, old, operand),
        Some(AtomicOperation::FloatSubtract) => compute(Opcode::FloatSubtract, 0, old, operand),
        _ => unsupported("this kind of atomicrmw"),
    }
}

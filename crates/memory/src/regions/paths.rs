//! How far does a `getelementptr` move a pointer?
//!
//! A constant index moves it by a constant; a variable one by a multiple of the element's size. An
//! index into an array type stays within its bounds where leaving them is undefined behaviour that
//! the reference interpreter detects, and never goes below the array's beginning; an array that
//! ends a struct may be longer than its type says. Pointer arithmetic that begins in an array that
//! is a member stays in it.

use super::carriers::integer_value;
use super::extents::Extent;
use super::offsets::Offsets;
use knockon_program::{
    Body, ConstantId, Expression, Flags, InstructionId, Opcode, Operand, Program, Type, TypeId,
};

/// The offsets that this `getelementptr` may add to its base, and the bytes from there of the array
/// that the result points into, if that is a member of a struct. A result that is not accessed may
/// be one past the end of an array.
pub(crate) fn path_offsets(
    program: &Program,
    body: &Body,
    id: InstructionId,
    is_accessed: bool,
) -> (Offsets, Option<Extent>) {
    let row = body.instruction(id);
    let operands = body.operands(id);
    let element = TypeId(row.extra);
    let in_bounds = row.flags.has(Flags::IN_BOUNDS);
    let indices = operands[1..].iter().map(|operand| match operand {
        Operand::Constant(constant) => Index::constant(program, *constant),
        Operand::Instruction(id) => match body.instruction(*id).opcode {
            Opcode::ZeroExtend => Index::NotNegative,
            _ => Index::Unknown,
        },
        _ => Index::Unknown,
    });
    let bounded = in_bounds && program.base_is_array(body, operands[0], element);
    let beyond = u64::from(!is_accessed);
    walk(program, element, in_bounds, bounded, beyond, indices)
}

/// The offsets that a constant `getelementptr` adds to its base.
pub(crate) fn constant_path_offsets(
    program: &Program,
    expression: &Expression,
) -> (Offsets, Option<Extent>) {
    let indices = expression.operands[1..]
        .iter()
        .map(|constant| Index::constant(program, *constant));
    walk(program, expression.element_type, false, false, 0, indices)
}

#[derive(Clone, Copy)]
enum Index {
    Constant(i64),
    NotNegative,
    Unknown,
}

impl Index {
    fn constant(program: &Program, constant: ConstantId) -> Index {
        match integer_value(program, constant) {
            Some(value) => Index::Constant(value),
            None => Index::Unknown,
        }
    }
}

fn walk(
    program: &Program,
    element: TypeId,
    in_bounds: bool,
    mut bounded: bool,
    beyond: u64,
    indices: impl Iterator<Item = Index>,
) -> (Offsets, Option<Extent>) {
    let unknown = (Offsets::ANY, None);
    let mut offsets = Offsets::ZERO;
    let mut array = None;
    let mut current = element;
    let mut indices = indices.enumerate().peekable();
    while let Some((position, index)) = indices.next() {
        if position == 0 {
            offsets = offsets.plus(scaled(index, program.size_of(element)));
            continue;
        }
        match program.type_of(current) {
            Type::Struct { fields, .. } => {
                let Index::Constant(field) = index else {
                    return unknown;
                };
                let (Ok(field), Some(offset)) = (
                    usize::try_from(field),
                    program.field_offset(current, field as usize),
                ) else {
                    return unknown;
                };
                let Ok(offset) = i64::try_from(offset) else {
                    return unknown;
                };
                offsets = offsets.shifted(offset);
                let is_last = field + 1 == fields.len();
                bounded = in_bounds && !is_last;
                current = fields[field];
                if let (Type::Array { .. }, Some(start)) =
                    (program.type_of(current), offsets.exact())
                {
                    let size = (!is_last).then(|| program.size_of(current));
                    array = Some(Extent::from(start, size));
                }
            }
            Type::Array { element, count } => {
                let beyond = if indices.peek().is_some() { 0 } else { beyond };
                let count = (bounded && *count > 0).then_some(*count + beyond);
                offsets = offsets.plus(match index {
                    Index::Constant(_) => scaled(index, program.size_of(*element)),
                    _ => Offsets::steps(program.size_of(*element), count),
                });
                bounded = in_bounds;
                current = *element;
            }
            Type::Vector { element, .. } => {
                offsets = offsets.plus(scaled(index, program.store_size(*element)));
                current = *element;
            }
            _ => return unknown,
        }
    }
    (offsets, array)
}

fn scaled(index: Index, size: u64) -> Offsets {
    match index {
        Index::Constant(value) => match i64::try_from(size)
            .ok()
            .and_then(|size| size.checked_mul(value))
        {
            Some(offset) => Offsets::exactly(offset),
            None => Offsets::ANY,
        },
        Index::NotNegative => Offsets::steps(size, None),
        Index::Unknown => Offsets::multiples(size),
    }
}

/// For each instruction: something reads or writes the element that it names as an address.
pub(crate) fn accessed_addresses(program: &Program, body: &Body) -> fixedbitset::FixedBitSet {
    let mut accessed = fixedbitset::FixedBitSet::with_capacity(body.instructions.len());
    for user in body.instruction_ids().rev() {
        let operands = body.operands(user);
        let address = match body.instruction(user).opcode {
            Opcode::Load => operands.first(),
            Opcode::Store => operands.get(1),
            // All indices zero may be the array itself, named as a pointer.
            Opcode::GetElementPointer
                if operands.len() > 2
                    && (!decays(program, &operands[1..]) || accessed.contains(user.index())) =>
            {
                operands.first()
            }
            _ => None,
        };
        if let Some(Operand::Instruction(id)) = address {
            accessed.insert(id.index());
        }
    }
    accessed
}

fn decays(program: &Program, indices: &[Operand]) -> bool {
    indices.iter().all(|index| match index {
        Operand::Constant(constant) => integer_value(program, *constant) == Some(0),
        _ => false,
    })
}

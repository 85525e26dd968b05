//! Which bytes of a number are no part of any value, since a struct is passed as that number?
//!
//! A struct that fits is loaded into a register as a whole, with the bytes between its members.
//! What is in them is no behaviour. Where it is loaded from a variable, the variable's type tells
//! them; elsewhere none are known.

use knockon_program::{Body, Constant, Opcode, Operand, Program, Type, TypeId};

/// One bit for each byte of a number, the lowest for the byte of the lowest address.
pub(crate) type Padding = u8;

/// Bytes of a value that are between the members of the struct that it was loaded from.
pub(crate) fn padding(program: &Program, body: &Body, value: Operand) -> Padding {
    let Operand::Instruction(id) = value else {
        return 0;
    };
    let row = body.instruction(id);
    let size = program.store_size(row.type_id);
    if row.opcode != Opcode::Load || !matches!(program.type_of(row.type_id), Type::Integer(_)) {
        return 0;
    }
    let Some((variable, first)) = place(program, body, body.operands(id)[0]) else {
        return 0;
    };
    let mut used = vec![false; program.size_of(variable).min(MOST_BYTES) as usize];
    mark(program, variable, 0, &mut used);
    let is_padding = |byte: &u64| used.get((first + byte) as usize) == Some(&false);
    let bytes = (0..size.min(8)).filter(is_padding);
    bytes.fold(0, |all, byte| all | 1 << byte)
}

/// Larger structs are not passed in registers.
const MOST_BYTES: u64 = 64;

/// The type of the variable that an address is in, and where.
fn place(program: &Program, body: &Body, address: Operand) -> Option<(TypeId, u64)> {
    let Operand::Instruction(id) = address else {
        return None;
    };
    let row = body.instruction(id);
    let operands = body.operands(id);
    match row.opcode {
        Opcode::Alloca => Some((TypeId(row.extra), 0)),
        Opcode::GetElementPointer => {
            let (variable, first) = place(program, body, operands[0])?;
            let number = |operand: &Operand| match operand {
                Operand::Constant(id) => match program.constant(*id) {
                    Constant::Integer { bits, .. } => u64::try_from(*bits).ok(),
                    Constant::Zero(_) => Some(0),
                    _ => None,
                },
                _ => None,
            };
            // As it is written for the parts of a struct: the whole, then one member.
            match operands[1..] {
                [whole, member] if number(&whole) == Some(0) => {
                    let member = usize::try_from(number(&member)?).ok()?;
                    let offset = program.field_offset(TypeId(row.extra), member)?;
                    Some((variable, first + offset))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Marks the bytes of a type that belong to a scalar.
fn mark(program: &Program, id: TypeId, first: u64, used: &mut [bool]) {
    if first >= used.len() as u64 {
        return;
    }
    match program.type_of(id) {
        Type::Struct { fields, .. } => {
            for (number, field) in fields.iter().enumerate() {
                if let Some(offset) = program.field_offset(id, number) {
                    mark(program, *field, first + offset, used);
                }
            }
        }
        Type::Array { element, count } => {
            let size = program.size_of(*element);
            for number in 0..(*count).min(MOST_BYTES) {
                mark(program, *element, first + number * size, used);
            }
        }
        _ => {
            let size = program.store_size(id) as usize;
            used.iter_mut()
                .skip(first as usize)
                .take(size)
                .for_each(|byte| *byte = true);
        }
    }
}

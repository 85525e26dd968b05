//! Arithmetic, comparisons, casts and `select` of scalars.

use super::Decoder;
use crate::code::{Action, HostFloat, Integer, Slot};
use crate::shapes::narrow_width;
use knockon_program::{
    Flags, FloatPredicate, InstructionId, IntegerPredicate, Opcode, Type, TypeId,
};

impl Decoder<'_, '_> {
    /// Arithmetic, comparisons, casts and `select`, if they are of scalars.
    pub(super) fn computation(&self, id: InstructionId) -> Action {
        let row = self.body.instruction(id);
        let to = self.code.results[id.index()];
        let (left, right) = (self.operand(id, 0), self.operand(id, 1));
        let Some(first_type) = self.type_of_operand(id, 0) else {
            return Action::General;
        };
        if row.opcode == Opcode::Select {
            let otherwise = self.operand(id, 2);
            let scalar = [to, left, right, otherwise]
                .iter()
                .all(|slot| *slot != Slot::NONE && slot.is_scalar());
            return if scalar {
                Action::Select {
                    to,
                    condition: left,
                    then: right,
                    otherwise,
                }
            } else {
                Action::General
            };
        }
        let (Some(width), true) = (
            narrow_width(self.program, first_type),
            to != Slot::NONE && to.is_scalar(),
        ) else {
            return Action::General;
        };
        let type_row = self.program.type_of(first_type);
        let operands = Integer {
            to,
            left,
            right,
            width: width as u8,
            no_signed_wrap: row.flags.has(Flags::NO_SIGNED_WRAP),
        };
        let host_float = match type_row {
            Type::Float => Some(HostFloat::Single),
            Type::Double => Some(HostFloat::Double),
            _ => None,
        };
        let plain = !row.flags.has(Flags::NO_UNSIGNED_WRAP);
        match row.opcode {
            Opcode::Add if plain => Action::Add(operands),
            Opcode::Subtract if plain => Action::Subtract(operands),
            Opcode::Multiply if plain => Action::Multiply(operands),
            Opcode::And => Action::And(operands),
            Opcode::Or => Action::Or(operands),
            Opcode::Xor => Action::Xor(operands),
            Opcode::IntegerCompare => match IntegerPredicate::from_detail(row.detail) {
                Some(predicate) => Action::Compare(predicate, operands),
                None => Action::General,
            },
            Opcode::FloatCompare => match (FloatPredicate::from_detail(row.detail), host_float) {
                (Some(predicate), Some(format)) => {
                    Action::FloatCompare(predicate, format, operands)
                }
                _ => Action::General,
            },
            opcode if opcode.is_binary() => match (type_row, host_float) {
                (_, Some(format)) => Action::Float(opcode, format, operands),
                (Type::Integer(_), None) => Action::Integer(opcode, row.flags, operands),
                _ => Action::General,
            },
            opcode => self.cast(opcode, row.type_id, to, left, width),
        }
    }

    fn cast(
        &self,
        opcode: Opcode,
        result: TypeId,
        to: Slot,
        from: Slot,
        from_width: u32,
    ) -> Action {
        let Some(width) = narrow_width(self.program, result) else {
            return Action::General;
        };
        let keeps_bits = match opcode {
            Opcode::ZeroExtend | Opcode::BitCast | Opcode::AddressSpaceCast => true,
            Opcode::PointerToInteger | Opcode::IntegerToPointer => width >= from_width,
            _ => false,
        };
        match opcode {
            _ if keeps_bits => Action::Move { to, from },
            Opcode::Truncate if width == 1 && from_width == 8 => Action::ReadBool { to, from },
            Opcode::Truncate | Opcode::PointerToInteger | Opcode::IntegerToPointer => {
                Action::Truncate {
                    to,
                    from,
                    width: width as u8,
                }
            }
            Opcode::SignExtend => Action::SignExtend {
                to,
                from,
                from_width: from_width as u8,
                width: width as u8,
            },
            _ => Action::General,
        }
    }
}

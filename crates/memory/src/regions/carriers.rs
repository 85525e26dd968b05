//! Which values may carry a pointer, and from which other values?
//!
//! Every pointer does, and so does every integer that was made from one or loaded from memory where
//! one may stand: pointers are copied as integers, by bytes or by words, and put together from
//! pieces. An integer is followed only if it is wanted: if it flows to a store, a call, a return or
//! a conversion to a pointer ([`Use`]).
//!
//! Moving, converting, widening and cutting off carry a pointer always. Arithmetic does where it
//! visibly is arithmetic on an address: an operand was converted from a pointer, or the result is
//! converted to one, in the same function. Shifts and `|` do where they put pieces together or take
//! them apart. What is taken to carry no pointer: other sums, differences of two addresses, the low
//! bits of one, products, quotients and remainders, comparisons. Without that, counters in unions
//! with pointers would make every pointer point everywhere.

use super::offsets::Offsets;
use knockon_program::{
    Binary, Body, Cast, Constant, ConstantId, InstructionId, Opcode, Operand, Program, Type,
    TypeId, View,
};
use smallvec::SmallVec;

/// How far a value lies from the one it is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Distance {
    Known(Offsets),
    /// As far as the `getelementptr` says.
    Path,
}

const HERE: Distance = Distance::Known(Offsets::ZERO);
const ANYWHERE: Distance = Distance::Known(Offsets::ANY);

fn exactly(by: i64) -> Distance {
    Distance::Known(Offsets::exactly(by))
}

pub(crate) type Sources = SmallVec<[(Operand, Distance, Use); 4]>;

/// Whether bytes of a pointer fit in.
pub(crate) fn may_carry(program: &Program, type_id: TypeId) -> bool {
    match program.type_of(type_id) {
        Type::Pointer(_) | Type::Double | Type::X86Mmx | Type::X86Amx | Type::Target(_) => true,
        Type::Integer(bits) => *bits >= 8,
        Type::Array { element, .. } | Type::Vector { element, .. } => may_carry(program, *element),
        Type::Struct { fields, .. } => fields.iter().any(|field| may_carry(program, *field)),
        _ => false,
    }
}

/// How a value is used that may carry a pointer; each includes the ones before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Use {
    /// It is stored, passed on or returned.
    Kept = 1,
    /// It is put together with others by `|`, or cut into pieces.
    Piece = 2,
    /// It becomes a pointer.
    Converted = 3,
}

/// The values whose pointer an instruction's result may be, how far it moves them and how it uses
/// them; accesses and calls apart.
pub(crate) fn sources(program: &Program, body: &Body, id: InstructionId, used: Use) -> Sources {
    let mut found = Sources::new();
    let mut same = |operand: Operand, used: Use| found.push((operand, HERE, used));
    match body.view(id) {
        View::GetElementPointer { base, .. } => found.push((base, Distance::Path, used)),
        View::Cast { operation, value } => match operation {
            Cast::IntegerToPointer => same(value, Use::Converted),
            // What is cut off after a shift is a piece.
            Cast::Truncate if is_shift(program, body, value) => same(value, used.max(Use::Piece)),
            Cast::Truncate
            | Cast::BitCast
            | Cast::AddressSpaceCast
            | Cast::PointerToInteger
            | Cast::ZeroExtend
            | Cast::SignExtend => same(value, used),
            Cast::FloatTruncate
            | Cast::FloatExtend
            | Cast::FloatToUnsigned
            | Cast::FloatToSigned
            | Cast::UnsignedToFloat
            | Cast::SignedToFloat => {}
        },
        View::Freeze { value } => same(value, used),
        View::ExtractValue {
            aggregate: from, ..
        }
        | View::ExtractElement { vector: from, .. } => same(from, used),
        View::Phi { incoming } => incoming.values().for_each(|value| same(value, used)),
        View::Select {
            then: one,
            otherwise: other,
            ..
        }
        | View::InsertValue {
            aggregate: one,
            value: other,
            ..
        }
        | View::InsertElement {
            vector: one,
            value: other,
            ..
        }
        | View::ShuffleVector {
            left: one,
            right: other,
            ..
        } => {
            same(one, used);
            same(other, used);
        }
        View::Binary {
            operation,
            left,
            right,
        } => found = arithmetic(program, body, (operation, left, right), used),
        // Accesses and calls have rules of their own; the value of others is not a pointer.
        View::Alloca { .. }
        | View::Load { .. }
        | View::Store { .. }
        | View::CompareExchange { .. }
        | View::AtomicReadModifyWrite { .. }
        | View::VariadicArgument { .. }
        | View::Call(_)
        | View::LandingPad { .. }
        | View::Pad { .. }
        | View::Opaque { .. }
        | View::FloatNegate { .. }
        | View::IntegerCompare { .. }
        | View::FloatCompare { .. }
        | View::Fence
        | View::Return { .. }
        | View::Jump { .. }
        | View::Branch { .. }
        | View::Switch { .. }
        | View::IndirectBranch { .. }
        | View::Resume { .. }
        | View::CatchSwitch { .. }
        | View::CatchReturn { .. }
        | View::CleanupReturn { .. }
        | View::Unreachable => {}
    }
    found
}

fn arithmetic(
    program: &Program,
    body: &Body,
    (operation, left, right): (Binary, Operand, Operand),
    used: Use,
) -> Sources {
    let mut found = Sources::new();
    let of_address = |operand| is_address(program, body, operand, 4);
    let constant = |operand| constant_integer(program, operand);
    match operation {
        Binary::Subtract => {
            if of_address(left) && of_address(right) {
                return found;
            }
            // The negative of an address.
            if constant(left).is_some() && (used == Use::Converted || of_address(right)) {
                found.push((right, ANYWHERE, used));
            } else if used == Use::Converted || of_address(left) {
                let by = constant(right).map_or(ANYWHERE, |by| exactly(by.wrapping_neg()));
                found.push((left, by, used));
            }
        }
        Binary::Add => {
            for (operand, other) in [(left, right), (right, left)] {
                let is_base = of_address(operand) || used == Use::Converted && !of_address(other);
                if is_base && constant(operand).is_none() {
                    found.push((operand, constant(other).map_or(ANYWHERE, exactly), used));
                }
            }
        }
        Binary::And | Binary::Or | Binary::Xor => {
            let shifted = |operand| is_shift(program, body, operand);
            // A byte or more after a shift is a piece; what is less is no part of an address. A
            // negative mask keeps the upper bytes.
            let masks = |operand| constant(operand).is_some_and(|mask| !(0..0xff).contains(&mask));
            let is_put_together = match operation {
                Binary::Or => shifted(left) || shifted(right),
                Binary::And => shifted(left) && masks(right) || shifted(right) && masks(left),
                _ => false,
            };
            // A mask that keeps less than a page keeps no address.
            let keeps_low = [left, right]
                .into_iter()
                .any(|operand| constant(operand).is_some_and(|bits| (0..4096).contains(&bits)));
            for operand in [left, right] {
                if is_put_together {
                    found.push((operand, ANYWHERE, used.max(Use::Piece)));
                } else if (used == Use::Converted || of_address(operand))
                    && !(operation == Binary::And && keeps_low)
                {
                    found.push((operand, ANYWHERE, used));
                }
            }
        }
        Binary::ShiftLeft | Binary::LogicalShiftRight | Binary::ArithmeticShiftRight => {
            if used >= Use::Piece {
                found.push((left, ANYWHERE, used));
            }
        }
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
    found
}

/// A variable is shifted.
fn is_shift(program: &Program, body: &Body, operand: Operand) -> bool {
    match operand {
        Operand::Instruction(id) => {
            let is_constant = |left: &Operand| constant_integer(program, *left).is_some();
            let opcode = body.instruction(id).opcode;
            matches!(opcode, Opcode::ShiftLeft | Opcode::LogicalShiftRight)
                && !body.operands(id).first().is_some_and(is_constant)
        }
        _ => false,
    }
}

/// Certainly made from a pointer by a conversion.
fn is_address(program: &Program, body: &Body, operand: Operand, depth: u32) -> bool {
    let of = |operand: Operand| depth > 0 && is_address(program, body, operand, depth - 1);
    match operand {
        Operand::Instruction(id) => match (body.instruction(id).opcode, body.operands(id)) {
            (Opcode::PointerToInteger, _) => true,
            (Opcode::Add | Opcode::Subtract | Opcode::And | Opcode::Or, [left, right]) => {
                constant_integer(program, *right).is_some() && of(*left)
                    || constant_integer(program, *left).is_some() && of(*right)
            }
            _ => false,
        },
        Operand::Constant(constant) => matches!(
            program.constant(constant),
            Constant::Expression(expression) if expression.opcode == Opcode::PointerToInteger
        ),
        _ => false,
    }
}

pub(crate) fn constant_integer(program: &Program, operand: Operand) -> Option<i64> {
    match operand {
        Operand::Constant(constant) => integer_value(program, constant),
        _ => None,
    }
}

/// A constant's value, sign extended.
pub(crate) fn integer_value(program: &Program, constant: ConstantId) -> Option<i64> {
    match program.constant(constant) {
        Constant::Integer { type_id, bits } => match program.type_of(*type_id) {
            Type::Integer(width) if *width < 64 => {
                let unused = 64 - *width;
                Some(((*bits as u64) << unused) as i64 >> unused)
            }
            Type::Integer(64) => Some(*bits as u64 as i64),
            _ => i64::try_from(*bits).ok(),
        },
        Constant::Zero(_) | Constant::Null(_) => Some(0),
        _ => None,
    }
}

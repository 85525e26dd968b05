//! What does a cast make of a value?

use crate::floating_point;
use crate::huge;
use crate::shapes::{element_type, scalar_width};
use crate::stop::{Outcome, unsupported};
use crate::value::{Value, Wide, wide_mask};
use knockon_program::{Opcode, Program, Type, TypeId};

/// A cast of a scalar from one type to another.
pub(crate) fn cast(
    program: &Program,
    opcode: Opcode,
    from: TypeId,
    to: TypeId,
    value: &Value,
) -> Outcome<Value> {
    if opcode == Opcode::BitCast {
        return bit_cast(program, from, to, value);
    }
    let (Some(from_width), Some(to_width)) =
        (scalar_width(program, from), scalar_width(program, to))
    else {
        return unsupported(format!("{} of a type without a width", opcode.mnemonic()));
    };
    if from_width > 128 || to_width > 128 {
        return huge::cast(opcode, value, from_width, to_width);
    }
    let Some(wide) = value.to_wide() else {
        return unsupported(format!("{} of a value of another type", opcode.mnemonic()));
    };
    let (from_row, to_row) = (program.type_of(from), program.type_of(to));
    let result = match opcode {
        Opcode::SignExtend => Wide {
            bits: sign_extend_wide(wide.bits, from_width),
            undefined: sign_extend_wide(wide.undefined, from_width),
        },
        Opcode::FloatTruncate | Opcode::FloatExtend => {
            floating_point::convert(from_row, to_row, wide)?
        }
        Opcode::FloatToUnsigned | Opcode::FloatToSigned => {
            let signed = opcode == Opcode::FloatToSigned;
            return floating_point::to_integer(from_row, wide, to_width, signed);
        }
        Opcode::UnsignedToFloat | Opcode::SignedToFloat => {
            let signed = opcode == Opcode::SignedToFloat;
            floating_point::from_integer(to_row, wide, from_width, signed)?
        }
        // Truncation, zero extension, and casts between pointers and integers keep low bits.
        _ => wide,
    };
    Ok(Value::from_wide(result, to_width))
}

fn sign_extend_wide(bits: u128, width: u32) -> u128 {
    let unused = 128 - width.clamp(1, 128);
    (((bits << unused) as i128) >> unused) as u128
}

/// A bit and whether it is undefined.
type Bit = (bool, bool);

/// The same bits read as another type; vectors count from their first element's lowest bit.
fn bit_cast(program: &Program, from: TypeId, to: TypeId, value: &Value) -> Outcome<Value> {
    if let (Some(width), Some(wide)) = (scalar_width(program, to), value.to_wide())
        && width <= 128
    {
        return Ok(Value::from_wide(wide, width));
    }
    let mut bits = Vec::new();
    flatten(program, from, value, &mut bits)?;
    let mut rest = bits.as_slice();
    gather(program, to, &mut rest)
}

fn flatten(program: &Program, type_id: TypeId, value: &Value, bits: &mut Vec<Bit>) -> Outcome<()> {
    if let (Some(width), Some(wide)) = (scalar_width(program, type_id), value.to_wide()) {
        for at in 0..width {
            bits.push((wide.bits >> at & 1 == 1, wide.undefined >> at & 1 == 1));
        }
        return Ok(());
    }
    match (element_type(program, type_id, 0), value) {
        (Some(element), Value::Aggregate(elements)) => {
            for value in elements.iter() {
                flatten(program, element, value, bits)?;
            }
            Ok(())
        }
        _ => unsupported("a cast of a type without bits"),
    }
}

fn gather(program: &Program, type_id: TypeId, bits: &mut &[Bit]) -> Outcome<Value> {
    if let Some(width) = scalar_width(program, type_id)
        && width <= 128
        && bits.len() >= width as usize
    {
        let (own, rest) = bits.split_at(width as usize);
        *bits = rest;
        let mut wide = Wide::default();
        for (at, (bit, undefined)) in own.iter().enumerate() {
            wide.bits |= u128::from(*bit) << at;
            wide.undefined |= u128::from(*undefined) << at;
        }
        wide.undefined &= wide_mask(width);
        return Ok(Value::from_wide(wide, width));
    }
    match program.type_of(type_id) {
        Type::Vector { element, count, .. } => {
            let mut elements = Vec::with_capacity(*count as usize);
            for _ in 0..*count {
                elements.push(gather(program, *element, bits)?);
            }
            Ok(Value::Aggregate(elements.into()))
        }
        _ => unsupported("a cast to a type without bits"),
    }
}

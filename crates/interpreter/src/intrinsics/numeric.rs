//! Intrinsics that compute.

use super::floating;
use crate::arithmetic::wide;
use crate::shapes::{element_count, element_type, scalar_width, undefined_value};
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Value, Wide, wide_mask};
use knockon_program::{
    Additive, Flags, IntegerPredicate, Numeric, Opcode, Program, Ring, Type, TypeId,
};

/// The result of an intrinsic that computes.
pub(super) fn compute(
    program: &Program,
    numeric: Numeric,
    result: TypeId,
    types: &[TypeId],
    arguments: &[Value],
) -> Outcome<Value> {
    let Some(first_type) = types.first().copied() else {
        return unsupported("a built-in function without arguments");
    };
    if let Type::Vector { count, .. } = program.type_of(first_type) {
        return element_wise(program, numeric, result, types, arguments, *count as usize);
    }
    let Some(width) = scalar_width(program, first_type).filter(|width| *width <= 128) else {
        return unsupported("a built-in function on integers of more than 128 bits");
    };
    let mut wides = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match argument.to_wide() {
            Some(wide) if wide.undefined == 0 => wides.push(wide.bits),
            // Bit by bit the result could be partly defined; this much is safe to say.
            _ => return Ok(undefined_value(program, result)),
        }
    }
    let type_row = program.type_of(first_type);
    if type_row.is_floating_point() {
        return floating::float(program, numeric, result, type_row, width, &wides);
    }
    integer(numeric, width, &wides)
}

fn element_wise(
    program: &Program,
    numeric: Numeric,
    result: TypeId,
    types: &[TypeId],
    arguments: &[Value],
    count: usize,
) -> Outcome<Value> {
    if element_count(program, result) != count {
        return unsupported("a built-in function on vectors with a result of another shape");
    }
    let inner_types: Vec<TypeId> = types
        .iter()
        .map(|id| match program.type_of(*id) {
            Type::Vector { element, .. } => *element,
            _ => *id,
        })
        .collect();
    let inner_result = element_type(program, result, 0).unwrap_or(result);
    let mut elements = Vec::with_capacity(count);
    for index in 0..count {
        let row: Vec<Value> = arguments
            .iter()
            .map(|argument| match argument {
                Value::Aggregate(elements) => elements[index.min(elements.len() - 1)].clone(),
                scalar => scalar.clone(),
            })
            .collect();
        elements.push(compute(program, numeric, inner_result, &inner_types, &row)?);
    }
    Ok(Value::Aggregate(elements.into()))
}

fn signed(bits: u128, width: u32) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    ((bits << unused) as i128) >> unused
}

fn integer(numeric: Numeric, width: u32, arguments: &[u128]) -> Outcome<Value> {
    use IntegerPredicate as P;
    let value = |bits: u128| Ok(Value::from_wide(Wide::new(bits), width));
    let a = arguments[0];
    let b = arguments.get(1).copied().unwrap_or(0);
    let choose = |predicate: P| {
        let first = wide::compare(predicate, width, Wide::new(a), Wide::new(b));
        value(if first.bits != 0 { a } else { b })
    };
    match numeric {
        Numeric::Absolute => {
            if b != 0 && a == 1 << (width - 1) {
                return undefined(
                    UndefinedBehaviour::SignedOverflow,
                    format!(
                        "the absolute value of {} does not fit {width} bits",
                        signed(a, width)
                    ),
                );
            }
            value(signed(a, width).unsigned_abs())
        }
        Numeric::SignedMaximum => choose(P::SignedGreater),
        Numeric::SignedMinimum => choose(P::SignedLess),
        Numeric::UnsignedMaximum => choose(P::UnsignedGreater),
        Numeric::UnsignedMinimum => choose(P::UnsignedLess),
        Numeric::ByteSwap => value(a.swap_bytes() >> (128 - width)),
        Numeric::BitReverse => value(a.reverse_bits() >> (128 - width)),
        Numeric::Population => value(u128::from(a.count_ones())),
        Numeric::LeadingZeros | Numeric::TrailingZeros => {
            if a == 0 && b != 0 {
                return undefined(
                    UndefinedBehaviour::InvalidBuiltin,
                    "the number of leading or trailing zeros of zero",
                );
            }
            value(u128::from(if numeric == Numeric::LeadingZeros {
                a.leading_zeros() - (128 - width)
            } else {
                a.trailing_zeros().min(width)
            }))
        }
        Numeric::FunnelLeft | Numeric::FunnelRight => {
            let c = arguments.get(2).copied().unwrap_or(0);
            let amount = (c % u128::from(width)) as u32;
            let rest = width - amount;
            let shifted = |bits: u128, by: u32| bits.checked_shl(by).unwrap_or(0);
            let lowered = |bits: u128, by: u32| bits.checked_shr(by).unwrap_or(0);
            value(if numeric == Numeric::FunnelLeft {
                shifted(a, amount) | lowered(b, rest)
            } else {
                shifted(a, rest) | lowered(b, amount)
            })
        }
        _ => overflowing(numeric, width, a, b),
    }
}

/// `with.overflow` and saturating arithmetic.
fn overflowing(numeric: Numeric, width: u32, a: u128, b: u128) -> Outcome<Value> {
    use Numeric as N;
    let (opcode, signedness, saturates) = match numeric {
        N::Overflowing(Ring::Add, of) => (Opcode::Add, of, false),
        N::Overflowing(Ring::Subtract, of) => (Opcode::Subtract, of, false),
        N::Overflowing(Ring::Multiply, of) => (Opcode::Multiply, of, false),
        N::Saturating(Additive::Add, of) => (Opcode::Add, of, true),
        N::Saturating(Additive::Subtract, of) => (Opcode::Subtract, of, true),
        _ => return unsupported(format!("the built-in function {numeric:?} on integers")),
    };
    let is_signed = signedness.is_signed();
    let (left, right) = (Wide::new(a), Wide::new(b));
    let wrapped = wide::binary(opcode, Flags::NONE, width, left, right)?;
    let overflow = if is_signed {
        wide::binary(opcode, Flags::NO_SIGNED_WRAP, width, left, right).is_err()
    } else {
        wide::binary(opcode, Flags::NO_UNSIGNED_WRAP, width, left, right)?.undefined != 0
    };
    if !saturates {
        return Ok(Value::pair(
            Value::from_wide(wrapped, width),
            Value::integer(u64::from(overflow)),
        ));
    }
    let bound = match (is_signed, opcode) {
        (true, _) if signed(a, width) < 0 => 1 << (width - 1),
        (true, _) => wide_mask(width - 1),
        (false, Opcode::Subtract) => 0,
        (false, _) => wide_mask(width),
    };
    let bits = if overflow { bound } else { wrapped.bits };
    Ok(Value::from_wide(Wide::new(bits), width))
}

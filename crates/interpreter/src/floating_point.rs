//! What do the floating-point operations compute?
//!
//! `float` and `double` use the host's IEEE arithmetic, which is that of the compiled program;
//! `half` and `bfloat` are computed in `float` and rounded, as the compiler does without hardware
//! for them; `long double` is computed exactly and rounded once. Any undefined bit in an operand
//! makes the whole result undefined.

use crate::code::HostFloat;
use crate::extended::{self, Operation};
use crate::formats::{self, BFLOAT, DOUBLE, EXTENDED, Format, HALF, Magnitude, SINGLE};
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, Wide, wide_mask};
use knockon_program::{FloatPredicate, Opcode, Type};
use std::cmp::Ordering;

/// The format of a type that this interpreter computes with.
pub(crate) fn format_of(type_row: &Type) -> Option<Format> {
    match type_row {
        Type::Half => Some(HALF),
        Type::BFloat => Some(BFLOAT),
        Type::Float => Some(SINGLE),
        Type::Double => Some(DOUBLE),
        Type::X86Fp80 => Some(EXTENDED),
        _ => None,
    }
}

pub(crate) fn known_format(type_row: &Type) -> Outcome<Format> {
    match format_of(type_row) {
        Some(format) => Ok(format),
        None => unsupported("arithmetic on a 128-bit floating-point type"),
    }
}

/// `left opcode right` on the bits of the host's own formats.
#[inline(always)]
pub(crate) fn host_binary(opcode: Opcode, format: HostFloat, left: u64, right: u64) -> u64 {
    match format {
        HostFloat::Double => {
            let (left, right) = (f64::from_bits(left), f64::from_bits(right));
            let result = match opcode {
                Opcode::FloatAdd => left + right,
                Opcode::FloatSubtract => left - right,
                Opcode::FloatMultiply => left * right,
                Opcode::FloatDivide => left / right,
                _ => left % right,
            };
            result.to_bits()
        }
        HostFloat::Single => {
            let (left, right) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            let result = match opcode {
                Opcode::FloatAdd => left + right,
                Opcode::FloatSubtract => left - right,
                Opcode::FloatMultiply => left * right,
                Opcode::FloatDivide => left / right,
                _ => left % right,
            };
            u64::from(result.to_bits())
        }
    }
}

/// `left opcode right` of one floating-point type.
pub(crate) fn binary(opcode: Opcode, type_row: &Type, left: Wide, right: Wide) -> Outcome<Wide> {
    let format = known_format(type_row)?;
    if left.undefined | right.undefined != 0 {
        return Ok(Wide {
            bits: 0,
            undefined: wide_mask(format.width()),
        });
    }
    let host = |host: HostFloat, left: u128, right: u128| {
        u128::from(host_binary(opcode, host, left as u64, right as u64))
    };
    let bits = match format {
        SINGLE => host(HostFloat::Single, left.bits, right.bits),
        DOUBLE => host(HostFloat::Double, left.bits, right.bits),
        EXTENDED => {
            let operation = match opcode {
                Opcode::FloatAdd => Operation::Add,
                Opcode::FloatSubtract => Operation::Subtract,
                Opcode::FloatMultiply => Operation::Multiply,
                Opcode::FloatDivide => Operation::Divide,
                _ => Operation::Remainder,
            };
            extended::binary(operation, left.bits, right.bits)
        }
        small => {
            let widen = |bits| small.convert(bits, SINGLE);
            let result = host(HostFloat::Single, widen(left.bits), widen(right.bits));
            SINGLE.convert(result, small)
        }
    };
    Ok(Wide::new(bits))
}

/// An `i1`: the predicate on two values of one floating-point type.
pub(crate) fn compare(
    predicate: FloatPredicate,
    type_row: &Type,
    left: Wide,
    right: Wide,
) -> Outcome<Scalar> {
    let format = known_format(type_row)?;
    if left.undefined | right.undefined != 0 {
        return Ok(Scalar::undefined(1));
    }
    let order = formats::compare(format, left.bits, right.bits);
    Ok(Scalar::new(u64::from(holds(predicate, order))))
}

/// The predicate on the bits of the host's own formats.
#[inline(always)]
pub(crate) fn host_compare(
    predicate: FloatPredicate,
    format: HostFloat,
    left: u64,
    right: u64,
) -> bool {
    let order = match format {
        HostFloat::Double => f64::from_bits(left).partial_cmp(&f64::from_bits(right)),
        HostFloat::Single => f32::from_bits(left as u32).partial_cmp(&f32::from_bits(right as u32)),
    };
    holds(predicate, order)
}

fn holds(predicate: FloatPredicate, order: Option<Ordering>) -> bool {
    use FloatPredicate as P;
    let unordered = order.is_none();
    let (less, equal, greater) = (
        order == Some(Ordering::Less),
        order == Some(Ordering::Equal),
        order == Some(Ordering::Greater),
    );
    match predicate {
        P::False => false,
        P::OrderedEqual => equal,
        P::OrderedGreater => greater,
        P::OrderedGreaterOrEqual => greater || equal,
        P::OrderedLess => less,
        P::OrderedLessOrEqual => less || equal,
        P::OrderedNotEqual => less || greater,
        P::Ordered => !unordered,
        P::Unordered => unordered,
        P::UnorderedEqual => unordered || equal,
        P::UnorderedGreater => unordered || greater,
        P::UnorderedGreaterOrEqual => unordered || greater || equal,
        P::UnorderedLess => unordered || less,
        P::UnorderedLessOrEqual => unordered || less || equal,
        P::UnorderedNotEqual => !equal,
        P::True => true,
    }
}

/// `fneg`: the sign bit flipped, whatever the rest is.
pub(crate) fn negate(value: Wide, width: u32) -> Wide {
    Wide {
        bits: (value.bits ^ 1 << (width - 1)) & !value.undefined,
        undefined: value.undefined,
    }
}

/// One floating-point type to another.
pub(crate) fn convert(from: &Type, to: &Type, value: Wide) -> Outcome<Wide> {
    let (from, to) = (known_format(from)?, known_format(to)?);
    if value.undefined != 0 {
        return Ok(Wide {
            bits: 0,
            undefined: wide_mask(to.width()),
        });
    }
    // The host does the same, faster.
    let bits = match (from, to) {
        (SINGLE, DOUBLE) => u128::from(f64::from(f32::from_bits(value.bits as u32)).to_bits()),
        (DOUBLE, SINGLE) => u128::from((f64::from_bits(value.bits as u64) as f32).to_bits()),
        _ => from.convert(value.bits, to),
    };
    Ok(Wide::new(bits))
}

/// `fptosi`, `fptoui`: the integer part must fit.
pub(crate) fn to_integer(from: &Type, value: Wide, width: u32, signed: bool) -> Outcome<Value> {
    let format = known_format(from)?;
    if value.undefined != 0 {
        let nothing = Wide {
            bits: 0,
            undefined: u128::MAX,
        };
        return Ok(Value::from_wide(nothing, width));
    }
    let converted = formats::to_integer(format, value.bits).and_then(|(negative, magnitude)| {
        let largest = if signed {
            wide_mask(width - 1) + u128::from(negative)
        } else if negative {
            0
        } else {
            wide_mask(width)
        };
        let bits = if negative {
            magnitude.wrapping_neg()
        } else {
            magnitude
        };
        (magnitude <= largest).then_some(bits)
    });
    match converted {
        Some(bits) => Ok(Value::from_wide(Wide::new(bits), width)),
        None => undefined(
            UndefinedBehaviour::FloatConversion,
            format!("a floating-point number whose integer part does not fit {width} bits"),
        ),
    }
}

/// `sitofp`, `uitofp`: rounded to nearest.
pub(crate) fn from_integer(to: &Type, value: Wide, width: u32, signed: bool) -> Outcome<Wide> {
    let format = known_format(to)?;
    if value.undefined != 0 {
        return Ok(Wide {
            bits: 0,
            undefined: wide_mask(format.width()),
        });
    }
    let negative = signed && value.bits >> (width - 1) & 1 == 1;
    let magnitude = if negative {
        value.bits.wrapping_neg() & wide_mask(width)
    } else {
        value.bits
    };
    Ok(Wide::new(format.round(negative, magnitude, 0, false)))
}

/// `llvm.is.fpclass`: the tests of its mask, bit by bit.
pub(crate) fn is_class(format: Format, bits: u128, tests: u64) -> bool {
    let width = format.width();
    let number = format.unpack(bits);
    let quiet_bit = format.precision - 2;
    let smallest_normal = match format {
        EXTENDED => bits >> 63 & 1 == 1,
        _ => bits & wide_mask(width - 1) >= 1 << (quiet_bit + 1),
    };
    let class = match (number.magnitude, number.negative) {
        (Magnitude::NotANumber { .. }, _) if bits >> quiet_bit & 1 == 0 => 0,
        (Magnitude::NotANumber { .. }, _) => 1,
        (Magnitude::Infinite, true) => 2,
        (Magnitude::Finite { .. }, true) if smallest_normal => 3,
        (Magnitude::Finite { .. }, true) => 4,
        (Magnitude::Zero, true) => 5,
        (Magnitude::Zero, false) => 6,
        (Magnitude::Finite { .. }, false) if !smallest_normal => 7,
        (Magnitude::Finite { .. }, false) => 8,
        (Magnitude::Infinite, false) => 9,
    };
    tests >> class & 1 == 1
}

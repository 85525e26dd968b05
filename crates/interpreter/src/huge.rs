//! Integers of more than 128 bits, which clang uses as the storage unit of long runs of bit-fields.
//!
//! Only what such code does with them: loads, stores, bit operations, shifts, casts and comparison
//! for equality; each bit keeps whether it is defined.

use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, Wide};
use knockon_program::{IntegerPredicate, Opcode};
use std::rc::Rc;

/// Bits in words, least significant first; bits beyond the width and undefined ones are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Huge {
    pub(crate) width: u32,
    pub(crate) bits: Vec<u64>,
    pub(crate) undefined: Vec<u64>,
}

fn words(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// The low `width` bits of `source` shifted left by `shift` (right if negative), filled with `fill`.
fn shifted(source: &[u64], source_width: u32, shift: i64, fill: bool, width: u32) -> Vec<u64> {
    let bit = |at: i64| {
        if at < 0 {
            false
        } else if at >= i64::from(source_width) {
            fill
        } else {
            source[at as usize / 64] >> (at % 64) & 1 == 1
        }
    };
    let mut result = vec![0; words(width)];
    for at in 0..i64::from(width) {
        result[at as usize / 64] |= u64::from(bit(at - shift)) << (at % 64);
    }
    result
}

impl Huge {
    pub(crate) fn zero(width: u32) -> Huge {
        Huge {
            width,
            bits: vec![0; words(width)],
            undefined: vec![0; words(width)],
        }
    }

    pub(crate) fn all_undefined(width: u32) -> Huge {
        Huge {
            undefined: shifted(&[], 0, 0, true, width),
            ..Huge::zero(width)
        }
    }

    /// From words, least significant first.
    pub(crate) fn from_words(bits: &[u64], width: u32) -> Huge {
        let mut padded = bits.to_vec();
        padded.resize(words(width), 0);
        Huge {
            bits: shifted(&padded, width, 0, false, width),
            ..Huge::zero(width)
        }
    }

    fn from_value(value: &Value, width: u32) -> Option<Huge> {
        match value {
            Value::Huge(huge) => Some((**huge).clone()),
            Value::Aggregate(_) => None,
            scalar => {
                let wide = scalar.to_wide()?;
                let split = |bits: u128| vec![bits as u64, (bits >> 64) as u64];
                Some(Huge {
                    width,
                    bits: shifted(&split(wide.bits), 128, 0, false, width),
                    undefined: shifted(&split(wide.undefined), 128, 0, false, width),
                })
            }
        }
    }

    fn resized(&self, width: u32, signed: bool) -> Huge {
        let top = |bits: &[u64]| {
            let at = self.width - 1;
            signed && bits[at as usize / 64] >> (at % 64) & 1 == 1
        };
        self.moved(0, top(&self.bits), top(&self.undefined), width)
    }

    fn moved(&self, shift: i64, fill: bool, fill_undefined: bool, width: u32) -> Huge {
        Huge {
            width,
            bits: shifted(&self.bits, self.width, shift, fill, width),
            undefined: shifted(&self.undefined, self.width, shift, fill_undefined, width),
        }
    }

    fn into_value(self) -> Value {
        if self.width > 128 {
            return Value::Huge(Rc::new(self));
        }
        let word = |words: &[u64], at: usize| u128::from(words.get(at).copied().unwrap_or(0));
        let join = |words: &[u64]| word(words, 1) << 64 | word(words, 0);
        let wide = Wide {
            bits: join(&self.bits),
            undefined: join(&self.undefined),
        };
        Value::from_wide(wide, self.width)
    }
}

/// `left opcode right` of integers of `width` bits.
pub(crate) fn binary(opcode: Opcode, width: u32, left: &Value, right: &Value) -> Outcome<Value> {
    let (Some(left), Some(right)) = (
        Huge::from_value(left, width),
        Huge::from_value(right, width),
    ) else {
        return unsupported("arithmetic on something else than integers");
    };
    let mut result = Huge::zero(width);
    match opcode {
        Opcode::And | Opcode::Or | Opcode::Xor => {
            for at in 0..result.bits.len() {
                let (l, r) = (left.bits[at], right.bits[at]);
                let (lu, ru) = (left.undefined[at], right.undefined[at]);
                let (bits, unknown) = match opcode {
                    Opcode::And => (l & r, (lu | ru) & (l | lu) & (r | ru)),
                    Opcode::Or => (l | r, (lu | ru) & !l & !r),
                    _ => (l ^ r, lu | ru),
                };
                result.undefined[at] = unknown;
                result.bits[at] = bits & !unknown;
            }
        }
        Opcode::ShiftLeft | Opcode::LogicalShiftRight | Opcode::ArithmeticShiftRight => {
            if right.undefined.iter().any(|word| *word != 0) {
                return Ok(Huge::all_undefined(width).into_value());
            }
            if right.bits[0] >= u64::from(width) || right.bits[1..].iter().any(|word| *word != 0) {
                return undefined(
                    UndefinedBehaviour::ShiftAmount,
                    format!("a shift of {width} bits by {}", right.bits[0]),
                );
            }
            let amount = right.bits[0] as i64;
            let top = |bits: &[u64]| bits[(width - 1) as usize / 64] >> ((width - 1) % 64) & 1 == 1;
            result = match opcode {
                Opcode::ShiftLeft => left.moved(amount, false, false, width),
                Opcode::LogicalShiftRight => left.moved(-amount, false, false, width),
                _ => left.moved(-amount, top(&left.bits), top(&left.undefined), width),
            };
        }
        _ => return unsupported("arithmetic on integers of more than 128 bits"),
    }
    Ok(result.into_value())
}

/// Truncation and extension from or to more than 128 bits.
pub(crate) fn cast(opcode: Opcode, value: &Value, from_width: u32, width: u32) -> Outcome<Value> {
    match (opcode, Huge::from_value(value, from_width)) {
        (Opcode::Truncate | Opcode::ZeroExtend | Opcode::SignExtend, Some(huge)) => Ok(huge
            .resized(width, opcode == Opcode::SignExtend)
            .into_value()),
        _ => unsupported("a conversion of integers of more than 128 bits"),
    }
}

/// Equality; other orders are not modelled.
pub(crate) fn compare(predicate: IntegerPredicate, left: &Value, right: &Value) -> Outcome<Scalar> {
    let (Value::Huge(left), Value::Huge(right)) = (left, right) else {
        return unsupported("a comparison of something else than integers");
    };
    if left
        .undefined
        .iter()
        .chain(&right.undefined)
        .any(|word| *word != 0)
    {
        return Ok(Scalar::undefined(1));
    }
    let equal = left.bits == right.bits;
    match predicate {
        IntegerPredicate::Equal => Ok(Scalar::new(u64::from(equal))),
        IntegerPredicate::NotEqual => Ok(Scalar::new(u64::from(!equal))),
        _ => unsupported("the order of integers of more than 128 bits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_field_written_into_a_wide_unit_reads_back() {
        let unit = Huge::from_words(&[u64::MAX, 0x1234_5678_9abc_def0, 7], 136).into_value();
        let field = Value::integer(0x155);
        let width = 136;
        for offset in [0u64, 9, 60, 120] {
            let amount = Huge::from_words(&[offset], width).into_value();
            let wide = cast(Opcode::ZeroExtend, &field, 32, width).unwrap();
            let placed = binary(Opcode::ShiftLeft, width, &wide, &amount).unwrap();
            let ones = Huge::from_words(&[0x1ff], width).into_value();
            let hole = binary(Opcode::ShiftLeft, width, &ones, &amount).unwrap();
            let all = Huge::from_words(&[u64::MAX, u64::MAX, 0xff], width).into_value();
            let keep = binary(Opcode::Xor, width, &hole, &all).unwrap();
            let kept = binary(Opcode::And, width, &unit, &keep).unwrap();
            let stored = binary(Opcode::Or, width, &kept, &placed).unwrap();
            let moved = binary(Opcode::LogicalShiftRight, width, &stored, &amount).unwrap();
            let read = binary(Opcode::And, width, &moved, &ones).unwrap();
            assert_eq!(cast(Opcode::Truncate, &read, width, 32).unwrap(), field);
        }
    }

    #[test]
    fn undefined_bits_outside_a_field_stay_outside() {
        let width = 200;
        let unit = Huge::all_undefined(width).into_value();
        let ones = Huge::from_words(&[0xff], width).into_value();
        let read = binary(Opcode::And, width, &unit, &ones).unwrap();
        let low = cast(Opcode::Truncate, &read, width, 16).unwrap();
        assert_eq!(
            low,
            Value::Scalar(Scalar {
                bits: 0,
                undefined: 0xff
            })
        );
    }
}

//! What do the integer operations compute, and when are they undefined?
//!
//! The same definitions for 64 and for 128 bits. Undefined bits: `and`, `or`, `xor` and shifts by a
//! known amount follow each bit exactly; sums and products are undefined from the lowest undefined
//! bit upwards (carries only travel up); a comparison is defined if every filling-in of the
//! undefined bits gives the same answer. Overflow that the instruction excludes (`nsw`) is reported
//! at once, as the sanitizers do; `nuw` and `exact`, which C code does not promise, give undefined
//! values.

use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::Scalar;
use knockon_program::{Flags, IntegerPredicate, Opcode};

#[cold]
pub(crate) fn signed_overflow<T>(
    left: i128,
    operator: &str,
    right: i128,
    width: u32,
) -> Outcome<T> {
    undefined(
        UndefinedBehaviour::SignedOverflow,
        format!("{left} {operator} {right} does not fit {width} bits"),
    )
}

#[cold]
fn undefined_divisor<T>() -> Outcome<T> {
    undefined(
        UndefinedBehaviour::Uninitialised,
        "a division by a value that is not initialised",
    )
}

macro_rules! integer_arithmetic {
    ($module:ident, $row:ident, $unsigned:ident, $signed:ident) => {
        pub(crate) mod $module {
            use super::*;
            use crate::value::$row;

            fn ones(width: u32) -> $unsigned {
                if width >= $unsigned::BITS {
                    $unsigned::MAX
                } else {
                    (1 << width) - 1
                }
            }

            fn signed(bits: $unsigned, width: u32) -> $signed {
                let unused = $unsigned::BITS - width.clamp(1, $unsigned::BITS);
                ((bits << unused) as $signed) >> unused
            }

            fn all_undefined(width: u32) -> $row {
                $row {
                    bits: 0,
                    undefined: ones(width),
                }
            }

            /// `left opcode right` for values of `width` bits.
            pub(crate) fn binary(
                opcode: Opcode,
                flags: Flags,
                width: u32,
                left: $row,
                right: $row,
            ) -> Outcome<$row> {
                let unknown = left.undefined | right.undefined;
                let (l, r) = (left.bits, right.bits);
                let row = |bits: $unsigned, undefined: $unsigned| {
                    let undefined = undefined & ones(width);
                    Ok($row {
                        bits: bits & ones(width) & !undefined,
                        undefined,
                    })
                };
                match opcode {
                    Opcode::And => row(
                        l & r,
                        unknown & (l | left.undefined) & (r | right.undefined),
                    ),
                    Opcode::Or => row(l | r, unknown & !l & !r),
                    Opcode::Xor => row(l ^ r, unknown),
                    Opcode::Add | Opcode::Subtract | Opcode::Multiply => {
                        let result = match opcode {
                            Opcode::Add => l.wrapping_add(r),
                            Opcode::Subtract => l.wrapping_sub(r),
                            _ => l.wrapping_mul(r),
                        };
                        if unknown != 0 {
                            let known = ones(unknown.trailing_zeros());
                            return row(result, !known);
                        }
                        sum_or_product(opcode, flags, width, l, r)
                    }
                    Opcode::ShiftLeft
                    | Opcode::LogicalShiftRight
                    | Opcode::ArithmeticShiftRight => {
                        if right.undefined != 0 {
                            return Ok(all_undefined(width));
                        }
                        if r >= width as $unsigned {
                            return undefined(
                                UndefinedBehaviour::ShiftAmount,
                                format!("a shift of {width} bits by {}", signed(r, width)),
                            );
                        }
                        let amount = r as u32;
                        match opcode {
                            Opcode::ShiftLeft => {
                                let result = (l << amount) & ones(width);
                                let unsigned_loss = result >> amount != l;
                                let signed_loss =
                                    signed(result, width) >> amount != signed(l, width);
                                if flags.has(Flags::NO_UNSIGNED_WRAP) && unsigned_loss
                                    || flags.has(Flags::NO_SIGNED_WRAP) && signed_loss
                                {
                                    return Ok(all_undefined(width));
                                }
                                row(result, left.undefined << amount)
                            }
                            Opcode::LogicalShiftRight => row(l >> amount, left.undefined >> amount),
                            _ => row(
                                (signed(l, width) >> amount) as $unsigned,
                                (signed(left.undefined, width) >> amount) as $unsigned,
                            ),
                        }
                    }
                    _ => division(opcode, flags, width, left, right),
                }
            }

            fn sum_or_product(
                opcode: Opcode,
                flags: Flags,
                width: u32,
                l: $unsigned,
                r: $unsigned,
            ) -> Outcome<$row> {
                let (sl, sr) = (signed(l, width), signed(r, width));
                let (unsigned_result, signed_result, symbol) = match opcode {
                    Opcode::Add => (l.checked_add(r), sl.checked_add(sr), "+"),
                    Opcode::Subtract => (l.checked_sub(r), sl.checked_sub(sr), "-"),
                    _ => (l.checked_mul(r), sl.checked_mul(sr), "*"),
                };
                let wrapped = match opcode {
                    Opcode::Add => l.wrapping_add(r),
                    Opcode::Subtract => l.wrapping_sub(r),
                    _ => l.wrapping_mul(r),
                } & ones(width);
                let fits = signed_result.is_some_and(|result| result == signed(wrapped, width));
                if flags.has(Flags::NO_SIGNED_WRAP) && !fits {
                    return signed_overflow(sl as i128, symbol, sr as i128, width);
                }
                if flags.has(Flags::NO_UNSIGNED_WRAP) && unsigned_result != Some(wrapped) {
                    return Ok(all_undefined(width));
                }
                Ok($row::new(wrapped))
            }

            fn division(
                opcode: Opcode,
                flags: Flags,
                width: u32,
                left: $row,
                right: $row,
            ) -> Outcome<$row> {
                if right.undefined != 0 {
                    return undefined_divisor();
                }
                if right.bits == 0 {
                    return undefined(UndefinedBehaviour::DivisionByZero, "a division by zero");
                }
                if left.undefined != 0 {
                    return Ok(all_undefined(width));
                }
                let (l, r) = (left.bits, right.bits);
                let (sl, sr) = (signed(l, width), signed(r, width));
                let is_signed = matches!(opcode, Opcode::SignedDivide | Opcode::SignedRemainder);
                if is_signed && sr == -1 && l == 1 << (width - 1) {
                    return undefined(
                        UndefinedBehaviour::DivisionOverflow,
                        format!("{sl} divided by -1 does not fit {width} bits"),
                    );
                }
                let (result, remainder) = if is_signed {
                    ((sl / sr) as $unsigned, (sl % sr) as $unsigned)
                } else {
                    (l / r, l % r)
                };
                match opcode {
                    Opcode::UnsignedDivide | Opcode::SignedDivide => {
                        if flags.has(Flags::EXACT) && remainder != 0 {
                            return Ok(all_undefined(width));
                        }
                        Ok($row::new(result & ones(width)))
                    }
                    _ => Ok($row::new(remainder & ones(width))),
                }
            }

            /// An `i1`: how two values of `width` bits compare.
            pub(crate) fn compare(
                predicate: IntegerPredicate,
                width: u32,
                left: $row,
                right: $row,
            ) -> Scalar {
                use IntegerPredicate as P;
                let unknown = left.undefined | right.undefined;
                let (l, r) = (left.bits, right.bits);
                if unknown == 0 {
                    let (sl, sr) = (signed(l, width), signed(r, width));
                    return Scalar::new(u64::from(match predicate {
                        P::Equal => l == r,
                        P::NotEqual => l != r,
                        P::UnsignedGreater => l > r,
                        P::UnsignedGreaterOrEqual => l >= r,
                        P::UnsignedLess => l < r,
                        P::UnsignedLessOrEqual => l <= r,
                        P::SignedGreater => sl > sr,
                        P::SignedGreaterOrEqual => sl >= sr,
                        P::SignedLess => sl < sr,
                        P::SignedLessOrEqual => sl <= sr,
                    }));
                }
                // Flipping the sign bit turns the signed order into the unsigned one.
                let flip = match predicate {
                    P::SignedGreater
                    | P::SignedGreaterOrEqual
                    | P::SignedLess
                    | P::SignedLessOrEqual => 1 << (width - 1),
                    _ => 0,
                };
                let least = |row: $row| (row.bits ^ flip) & !row.undefined;
                let (left_least, right_least) = (least(left), least(right));
                let (left_most, right_most) =
                    (left_least | left.undefined, right_least | right.undefined);
                let (less, not_less) = (left_most < right_least, left_least >= right_most);
                let (greater, not_greater) = (left_least > right_most, left_most <= right_least);
                let differ = (l ^ r) & !unknown != 0;
                let (yes, no) = match predicate {
                    P::Equal => (false, differ),
                    P::NotEqual => (differ, false),
                    P::UnsignedLess | P::SignedLess => (less, not_less),
                    P::UnsignedGreaterOrEqual | P::SignedGreaterOrEqual => (not_less, less),
                    P::UnsignedGreater | P::SignedGreater => (greater, not_greater),
                    P::UnsignedLessOrEqual | P::SignedLessOrEqual => (not_greater, greater),
                };
                if yes || no {
                    Scalar::new(u64::from(yes))
                } else {
                    Scalar::undefined(1)
                }
            }
        }
    };
}

integer_arithmetic!(narrow, Scalar, u64, i64);
integer_arithmetic!(wide, Wide, u128, i128);

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bits: u64, undefined: u64) -> Scalar {
        Scalar { bits, undefined }
    }

    /// Every way to fill in the undefined bits of a 4-bit value.
    fn fillings(value: Scalar) -> impl Iterator<Item = u64> {
        (0..16).filter(move |bits| bits & !value.undefined == value.bits)
    }

    fn partial_values() -> Vec<Scalar> {
        let mut values = Vec::new();
        for undefined in 0..16u64 {
            for bits in (0..16u64).filter(|bits| bits & undefined == 0) {
                values.push(row(bits, undefined));
            }
        }
        values
    }

    const OPERATIONS: [Opcode; 9] = [
        Opcode::Add,
        Opcode::Subtract,
        Opcode::Multiply,
        Opcode::And,
        Opcode::Or,
        Opcode::Xor,
        Opcode::ShiftLeft,
        Opcode::LogicalShiftRight,
        Opcode::ArithmeticShiftRight,
    ];

    #[test]
    fn a_defined_result_bit_does_not_depend_on_undefined_operand_bits() {
        for opcode in OPERATIONS {
            for left in partial_values() {
                for right in partial_values() {
                    let Ok(result) = narrow::binary(opcode, Flags::NONE, 4, left, right) else {
                        continue;
                    };
                    for l in fillings(left) {
                        for r in fillings(right) {
                            let Ok(exact) =
                                narrow::binary(opcode, Flags::NONE, 4, row(l, 0), row(r, 0))
                            else {
                                continue;
                            };
                            assert_eq!(
                                exact.bits & !result.undefined,
                                result.bits,
                                "{opcode:?} {left:?} {right:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_comparison_is_defined_exactly_when_every_filling_agrees() {
        use IntegerPredicate as P;
        for predicate in IntegerPredicate::ALL.iter().copied() {
            for left in partial_values() {
                for right in partial_values() {
                    let result = narrow::compare(predicate, 4, left, right);
                    let mut answers: Vec<u64> = fillings(left)
                        .flat_map(|l| {
                            fillings(right).map(move |r| {
                                narrow::compare(predicate, 4, row(l, 0), row(r, 0)).bits
                            })
                        })
                        .collect();
                    answers.dedup();
                    if result.is_defined() {
                        assert_eq!(answers, [result.bits], "{predicate:?} {left:?} {right:?}");
                    } else {
                        assert!(answers.len() > 1, "{predicate:?} {left:?} {right:?}");
                    }
                }
            }
        }
        assert_eq!(P::ALL.len(), 10);
    }

    #[test]
    fn narrow_and_wide_arithmetic_agree() {
        let all = OPERATIONS.into_iter().chain([
            Opcode::UnsignedDivide,
            Opcode::SignedDivide,
            Opcode::UnsignedRemainder,
            Opcode::SignedRemainder,
        ]);
        for opcode in all {
            for flags in [Flags::NONE, Flags::NO_SIGNED_WRAP, Flags::NO_UNSIGNED_WRAP] {
                for left in 0..32u64 {
                    for right in 0..32u64 {
                        let narrow = narrow::binary(opcode, flags, 5, row(left, 0), row(right, 0));
                        let extend = |bits: u64| crate::value::Wide::new(u128::from(bits));
                        let wide = wide::binary(opcode, flags, 5, extend(left), extend(right));
                        match (narrow, wide) {
                            (Ok(narrow), Ok(wide)) => {
                                assert_eq!(u128::from(narrow.bits), wide.bits);
                                assert_eq!(u128::from(narrow.undefined), wide.undefined);
                            }
                            (narrow, wide) => assert_eq!(narrow.is_err(), wide.is_err()),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn signed_overflow_is_reported_exactly_when_the_sum_does_not_fit() {
        for left in -16i64..16 {
            for right in -16i64..16 {
                for (opcode, exact) in [
                    (Opcode::Add, left + right),
                    (Opcode::Subtract, left - right),
                    (Opcode::Multiply, left * right),
                ] {
                    let bits = |value: i64| row(value as u64 & 31, 0);
                    let result =
                        narrow::binary(opcode, Flags::NO_SIGNED_WRAP, 5, bits(left), bits(right));
                    match result {
                        Ok(result) => assert_eq!(result, bits(exact)),
                        Err(_) => assert!(!(-16..16).contains(&exact)),
                    }
                }
            }
        }
    }
}

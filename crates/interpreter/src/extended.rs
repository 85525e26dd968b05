//! What do the operations on x86's `long double` compute?
//!
//! The host's language has no type for it, so an operation computes the exact result (or its first
//! 64 bits and more, with a sticky bit for the rest) and rounds once, as x87 does.

use crate::formats::{EXTENDED, Floating, Magnitude};

/// The operations on `long double`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Normalised, so that all 64 bits of the significand count.
fn operand(bits: u128) -> Floating {
    EXTENDED.unpack(bits).normalised()
}

/// `left operation right` of 80-bit numbers.
pub(crate) fn binary(operation: Operation, left: u128, right: u128) -> u128 {
    use Magnitude::{Finite, Infinite, NotANumber, Zero};
    const QUIET: u128 = 1 << 62;
    let (a, mut b) = (operand(left), operand(right));
    // x87 hands a NaN operand on, made quiet.
    if matches!(a.magnitude, NotANumber { .. }) {
        return left | QUIET;
    }
    if matches!(b.magnitude, NotANumber { .. }) {
        return right | QUIET;
    }
    if operation == Operation::Subtract {
        b.negative = !b.negative;
    }
    let negative = a.negative != b.negative;
    let invalid = EXTENDED.not_a_number(true);
    let infinite = |negative| EXTENDED.infinity(negative);
    let zero = |negative| EXTENDED.zero(negative);
    match operation {
        Operation::Add | Operation::Subtract => match (a.magnitude, b.magnitude) {
            (Infinite, Infinite) if negative => invalid,
            (Infinite, _) => infinite(a.negative),
            (_, Infinite) => infinite(b.negative),
            (Zero, Zero) => zero(a.negative && b.negative),
            (Zero, _) => b.converted(EXTENDED).to_bits(),
            (_, Zero) => left,
            _ => sum(a, b),
        },
        Operation::Multiply => match (a.magnitude, b.magnitude) {
            (Infinite, Zero) | (Zero, Infinite) => invalid,
            (Infinite, _) | (_, Infinite) => infinite(negative),
            (
                Finite {
                    significand: x,
                    exponent: i,
                },
                Finite {
                    significand: y,
                    exponent: j,
                },
            ) => EXTENDED.round(negative, u128::from(x) * u128::from(y), i + j, false),
            _ => zero(negative),
        },
        Operation::Divide => match (a.magnitude, b.magnitude) {
            (Infinite, Infinite) | (Zero, Zero) => invalid,
            (Infinite, _) | (_, Zero) => infinite(negative),
            (
                Finite {
                    significand: x,
                    exponent: i,
                },
                Finite {
                    significand: y,
                    exponent: j,
                },
            ) => {
                let (x, y) = (u128::from(x) << 64, u128::from(y));
                let (high, rest) = (x / y, x % y);
                let (low, rest) = ((rest << 60) / y, (rest << 60) % y);
                EXTENDED.round(negative, high << 60 | low, i - j - 124, rest != 0)
            }
            _ => zero(negative),
        },
        Operation::Remainder => match (a.magnitude, b.magnitude) {
            (Infinite, _) | (_, Zero) => invalid,
            (
                Finite {
                    significand: x,
                    exponent: i,
                },
                Finite {
                    significand: y,
                    exponent: j,
                },
            ) if i >= j => {
                let (mut rest, y) = (u128::from(x % y), u128::from(y));
                let mut distance = (i - j) as u32;
                while distance > 0 && rest != 0 {
                    let step = distance.min(64);
                    rest = (rest << step) % y;
                    distance -= step;
                }
                EXTENDED.round(a.negative, rest, j, false)
            }
            (
                Finite {
                    significand: x,
                    exponent: i,
                },
                Finite {
                    significand: y,
                    exponent: j,
                },
            ) if j - i < 64 => {
                // Below the divisor's lowest bit: reduce in units of the dividend's.
                let rest = u128::from(x) % (u128::from(y) << (j - i));
                EXTENDED.round(a.negative, rest, i, false)
            }
            _ => left,
        },
    }
}

/// The sum of two finite numbers that are not zero.
fn sum(a: Floating, b: Floating) -> u128 {
    let parts = |number: Floating| match number.magnitude {
        Magnitude::Finite {
            significand,
            exponent,
        } => (exponent, significand),
        _ => (0, 0),
    };
    // Normalised, so the order of (exponent, significand) is that of the values.
    let (large, small) = if parts(a) >= parts(b) { (a, b) } else { (b, a) };
    let ((i, x), (j, y)) = (parts(large), parts(small));
    let x = u128::from(x) << 63;
    let y = u128::from(y) << 63;
    let distance = (i - j) as u32;
    let (shifted, sticky) = if distance > 127 {
        (0, true)
    } else {
        (y >> distance, (y >> distance) << distance != y)
    };
    let exponent = i - 63;
    if large.negative == small.negative {
        EXTENDED.round(large.negative, x + shifted, exponent, sticky)
    } else {
        let difference = x - shifted - u128::from(sticky);
        // An exact zero is positive when rounding to nearest.
        let negative = large.negative && (difference != 0 || sticky);
        EXTENDED.round(negative, difference, exponent, sticky)
    }
}

/// The square root, correctly rounded.
pub(crate) fn square_root(bits: u128) -> u128 {
    let number = operand(bits);
    match number.magnitude {
        Magnitude::Zero | Magnitude::NotANumber { .. } => bits,
        _ if number.negative => EXTENDED.not_a_number(true),
        Magnitude::Infinite => bits,
        Magnitude::Finite {
            significand,
            exponent,
        } => {
            // An even exponent, and a root of 64 bits.
            let shift = if (exponent - 64) % 2 == 0 { 64 } else { 63 };
            let square = u128::from(significand) << shift;
            let root = square.isqrt();
            let rest = square - root * root;
            let exponent = (exponent - shift) / 2;
            let half = u128::from(rest > root);
            EXTENDED.round(false, root << 1 | half, exponent - 1, rest != 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::compare;
    use crate::formats::tests::{interesting, narrow, same, widen};

    /// 24-bit operands: sums, products and quotients rounded to 64 bits and then to 53 equal those
    /// rounded to 53 at once, since 64 ≥ 2·24 + 2 leaves no double rounding for them.
    #[test]
    fn arithmetic_agrees_with_the_host_where_double_rounding_is_harmless() {
        let values: Vec<f64> = interesting()
            .into_iter()
            .map(|value| f64::from(value as f32))
            .collect();
        for &left in values.iter().step_by(7) {
            for &right in values.iter().step_by(5) {
                for (operation, host) in [
                    (Operation::Multiply, left * right),
                    (Operation::Remainder, left % right),
                ] {
                    let soft = narrow(binary(operation, widen(left), widen(right)));
                    assert!(
                        same(soft, host),
                        "{operation:?} {left:e} {right:e}: {soft:e} {host:e}"
                    );
                }
                let order = compare(EXTENDED, widen(left), widen(right));
                assert_eq!(order, left.partial_cmp(&right));
            }
        }
    }

    #[test]
    fn quotients_and_roots_invert_exact_products() {
        for x in [1u64, 3, 5, 7, 123, 4_294_967_291, 1 << 31] {
            for y in [1u64, 2, 9, 1_000_003, 4_294_967_279] {
                let wide = |value: u64| EXTENDED.round(false, u128::from(value), 0, false);
                let product = binary(Operation::Multiply, wide(x), wide(y));
                assert_eq!(product, wide(x * y));
                assert_eq!(binary(Operation::Divide, product, wide(y)), wide(x));
                assert_eq!(
                    square_root(binary(Operation::Multiply, wide(x), wide(x))),
                    wide(x)
                );
                let total = binary(Operation::Add, wide(x), wide(y));
                assert_eq!(total, wide(x + y));
                assert_eq!(binary(Operation::Subtract, total, wide(y)), wide(x));
            }
        }
    }

    #[test]
    fn one_third_rounds_as_the_processor_rounds_it() {
        let wide = |value: u64| EXTENDED.round(false, u128::from(value), 0, false);
        let third = binary(Operation::Divide, wide(1), wide(3));
        assert_eq!(third, 0x3ffd_aaaa_aaaa_aaaa_aaab);
    }
}

//! Which number of a format is nearest to an exact value?
//!
//! To nearest, ties to even, as IEEE 754 defines it and as the hardware rounds unless it is told
//! otherwise; once, from the exact value.

use crate::formats::{Floating, Format, Magnitude};

/// `significand × 2^exponent` (plus something below the significand's last bit when `sticky`) as a
/// number of the format, and whether that lost something. With `sticky`, the significand must have
/// more bits than the format's precision.
pub(crate) fn nearest(
    format: Format,
    negative: bool,
    significand: u128,
    exponent: i64,
    sticky: bool,
) -> (Floating, bool) {
    let number = |magnitude| Floating {
        format,
        negative,
        magnitude,
    };
    if significand == 0 {
        return (number(Magnitude::Zero), sticky);
    }
    let drop = excess(format, significand).max(i64::from(format.least_exponent()) - exponent);
    let (mut kept, inexact) = without_low_bits(significand, drop, sticky);
    let mut scale = exponent + drop;
    if kept >> format.precision != 0 {
        kept >>= 1;
        scale += 1;
    }
    if kept == 0 {
        (number(Magnitude::Zero), inexact)
    } else if scale > i64::from(format.greatest_exponent()) {
        (number(Magnitude::Infinite), true)
    } else {
        let finite = Magnitude::Finite {
            significand: kept as u64,
            exponent: scale as i32,
        };
        (number(finite), inexact)
    }
}

/// As [`nearest`], and whether the exact value is outside the format's range: too large, or inexact
/// and below the normal numbers even after rounding to the full precision (where x86 detects it).
pub(crate) fn nearest_in_range(
    format: Format,
    negative: bool,
    significand: u128,
    exponent: i64,
    sticky: bool,
) -> (Floating, bool) {
    let (number, inexact) = nearest(format, negative, significand, exponent, sticky);
    let is_tiny = || {
        let drop = excess(format, significand);
        let (full, _) = without_low_bits(significand, drop, sticky);
        let carried = i64::from(full >> format.precision != 0);
        exponent + drop + carried < i64::from(format.least_exponent())
    };
    let is_outside =
        number.magnitude == Magnitude::Infinite || significand != 0 && inexact && is_tiny();
    (number, is_outside)
}

/// How many bits more than the format has; negative if fewer.
fn excess(format: Format, significand: u128) -> i64 {
    i64::from(128 - significand.leading_zeros()) - i64::from(format.precision)
}

/// `significand / 2^drop` to nearest, ties to even, and whether that lost something.
fn without_low_bits(significand: u128, drop: i64, sticky: bool) -> (u128, bool) {
    if drop <= 0 {
        // Widening is exact; the caller's precondition excludes a sticky bit here.
        return (significand << drop.unsigned_abs().min(127), sticky);
    }
    if drop > 128 {
        return (0, true);
    }
    let kept = if drop == 128 { 0 } else { significand >> drop };
    let half = 1u128 << (drop - 1);
    let rest = significand & (half | (half - 1));
    let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
    (kept + u128::from(up), rest != 0 || sticky)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{DOUBLE, SINGLE};

    #[test]
    fn rounding_to_float_agrees_with_the_machine_down_to_its_smallest_numbers() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            // An exponent near those of `float`, or any.
            let near_float = state & 0x8fff_ffff_ffff_ffff | 0x3000_0000_0000_0000;
            for value in [state, near_float].map(f64::from_bits) {
                if !value.is_nan() {
                    let ours = DOUBLE.convert(u128::from(value.to_bits()), SINGLE);
                    assert_eq!(ours, u128::from((value as f32).to_bits()), "{value:e}");
                }
            }
        }
    }

    #[test]
    fn half_of_the_smallest_number_is_a_tie_that_goes_to_zero() {
        let least = i64::from(SINGLE.least_exponent());
        let rounded = |significand: u128, exponent: i64| {
            nearest(SINGLE, false, significand, exponent, false)
                .0
                .to_bits()
        };
        assert_eq!(rounded(1, least - 1), 0);
        assert_eq!(rounded(3, least - 2), 1);
        assert_eq!(rounded(1 << 127, least - 128), 0);
        assert_eq!(rounded(1 << 127 | 1, least - 128), 1);
    }
}

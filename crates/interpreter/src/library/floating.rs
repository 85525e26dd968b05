//! Which exact number do a `double`'s or a `long double`'s bits stand for?
//!
//! Printing and reading need the value as `mantissa × 2^exponent`, not as an approximation, and the
//! 80-bit extended format of x86 has no Rust type. So both formats become one plain value here, and
//! come back from it with one correctly rounded (to nearest, ties to even) conversion.

/// A C floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatKind {
    /// `float`, IEEE binary32.
    Single,
    /// `double`, IEEE binary64.
    Double,
    /// `long double` of x86, 80 bits with an explicit integer bit.
    Extended,
}

impl FloatKind {
    /// Bits of the mantissa, the integer bit included.
    pub(crate) fn precision(self) -> u32 {
        match self {
            FloatKind::Single => 24,
            FloatKind::Double => 53,
            FloatKind::Extended => 64,
        }
    }

    /// The exponent of the lowest mantissa bit of the smallest numbers.
    pub(crate) fn least_exponent(self) -> i64 {
        match self {
            FloatKind::Single => -149,
            FloatKind::Double => -1074,
            FloatKind::Extended => -16445,
        }
    }

    /// The exponent of the lowest mantissa bit of the largest numbers.
    fn greatest_exponent(self) -> i64 {
        match self {
            FloatKind::Single => 127 - 23,
            FloatKind::Double => 1023 - 52,
            FloatKind::Extended => 16383 - 63,
        }
    }

    /// Bits that the exponent field has.
    fn exponent_bits(self) -> u32 {
        match self {
            FloatKind::Single => 8,
            FloatKind::Double => 11,
            FloatKind::Extended => 15,
        }
    }
}

/// The absolute value of a floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magnitude {
    Zero,
    /// `mantissa × 2^exponent`, with the mantissa as the format stores it (integer bit included).
    Finite {
        mantissa: u64,
        exponent: i32,
    },
    Infinite,
    /// The bits of the mantissa field below the quiet bit are kept.
    NotANumber {
        payload: u64,
    },
}

/// A floating-point number of any of C's types, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floating {
    pub kind: FloatKind,
    pub negative: bool,
    pub magnitude: Magnitude,
}

impl Floating {
    pub fn from_double(value: f64) -> Floating {
        Floating::from_interchange(FloatKind::Double, value.to_bits())
    }

    pub fn from_single(value: f32) -> Floating {
        Floating::from_interchange(FloatKind::Single, u64::from(value.to_bits()))
    }

    /// A `float` or a `double` from its bits; the integer bit is implicit.
    fn from_interchange(kind: FloatKind, bits: u64) -> Floating {
        let fraction_bits = kind.precision() - 1;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let field_mask = (1u64 << kind.exponent_bits()) - 1;
        let field = (bits >> fraction_bits) & field_mask;
        let magnitude = if field == field_mask {
            if fraction == 0 {
                Magnitude::Infinite
            } else {
                Magnitude::NotANumber {
                    payload: fraction & ((1 << (fraction_bits - 1)) - 1),
                }
            }
        } else if field == 0 && fraction == 0 {
            Magnitude::Zero
        } else {
            let integer_bit = u64::from(field != 0) << fraction_bits;
            Magnitude::Finite {
                mantissa: fraction | integer_bit,
                exponent: (kind.least_exponent() + field.max(1) as i64 - 1) as i32,
            }
        };
        Floating {
            kind,
            negative: bits >> (fraction_bits + kind.exponent_bits()) & 1 == 1,
            magnitude,
        }
    }

    /// An x86 `long double` from the low 80 bits. The encodings that no x86 since the 80387 produces
    /// (integer bit clear under a non-zero exponent) are not numbers, as the hardware treats them.
    pub fn from_extended(bits: u128) -> Floating {
        let mantissa = bits as u64;
        let field = (bits >> 64) as i32 & 0x7fff;
        let magnitude = if field == 0x7fff && mantissa == 1 << 63 {
            Magnitude::Infinite
        } else if field == 0x7fff || (field != 0 && mantissa >> 63 == 0) {
            Magnitude::NotANumber {
                payload: mantissa & ((1 << 62) - 1),
            }
        } else if mantissa == 0 {
            Magnitude::Zero
        } else {
            Magnitude::Finite {
                mantissa,
                exponent: FloatKind::Extended.least_exponent() as i32 + field.max(1) - 1,
            }
        };
        Floating {
            kind: FloatKind::Extended,
            negative: bits >> 79 & 1 == 1,
            magnitude,
        }
    }

    /// The bits of the number in its own format.
    pub fn to_bits(self) -> u128 {
        let fraction_bits = self.kind.precision() - 1;
        let field_mask = (1u128 << self.kind.exponent_bits()) - 1;
        let (field, mantissa) = match self.magnitude {
            Magnitude::Zero => (0, 0),
            Magnitude::Infinite => (field_mask, 1u64 << fraction_bits),
            Magnitude::NotANumber { payload } => (
                field_mask,
                1 << fraction_bits | 1 << (fraction_bits - 1) | payload,
            ),
            Magnitude::Finite { mantissa, exponent } => {
                let normal = mantissa >> fraction_bits != 0;
                let step = i64::from(exponent) - self.kind.least_exponent();
                (if normal { step as u128 + 1 } else { 0 }, mantissa)
            }
        };
        let sign = u128::from(self.negative) << self.kind.exponent_bits();
        match self.kind {
            FloatKind::Extended => (sign | field) << 64 | u128::from(mantissa),
            FloatKind::Single | FloatKind::Double => {
                let fraction = mantissa & ((1 << fraction_bits) - 1);
                (sign | field) << fraction_bits | u128::from(fraction)
            }
        }
    }

    /// The same number as a `double`, rounded to nearest.
    pub fn to_double(self) -> f64 {
        f64::from_bits(self.converted(FloatKind::Double).to_bits() as u64)
    }

    /// The same number in another format, rounded to nearest; a payload is cut from below.
    pub fn converted(self, kind: FloatKind) -> Floating {
        match self.magnitude {
            Magnitude::Finite { mantissa, exponent } => {
                rounded(
                    kind,
                    self.negative,
                    u128::from(mantissa),
                    i64::from(exponent),
                    false,
                )
                .0
            }
            Magnitude::NotANumber { payload } => {
                let (from, to) = (self.kind.precision(), kind.precision());
                let payload = if to >= from {
                    payload << (to - from)
                } else {
                    payload >> (from - to)
                };
                Floating {
                    kind,
                    magnitude: Magnitude::NotANumber { payload },
                    ..self
                }
            }
            Magnitude::Zero | Magnitude::Infinite => Floating { kind, ..self },
        }
    }
}

/// What rounding to a format did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounding {
    /// The result is not the exact value.
    pub(crate) inexact: bool,
    /// The exact value is too large for the format.
    pub(crate) overflow: bool,
    /// The result is inexact and below the normal range before rounding to the format's full
    /// precision with an unbounded exponent would have left it (x86 detects tininess after rounding).
    pub(crate) underflow: bool,
}

/// `mantissa × 2^exponent` (plus something below the mantissa's last bit when `sticky`) as a number of
/// the format, to nearest, ties to even. With `sticky`, the mantissa must have more bits than the
/// format's precision plus one.
pub(crate) fn rounded(
    kind: FloatKind,
    negative: bool,
    mantissa: u128,
    exponent: i64,
    sticky: bool,
) -> (Floating, Rounding) {
    let mut rounding = Rounding {
        inexact: false,
        overflow: false,
        underflow: false,
    };
    let number = |magnitude| Floating {
        kind,
        negative,
        magnitude,
    };
    if mantissa == 0 {
        rounding.inexact = sticky;
        return (number(Magnitude::Zero), rounding);
    }
    let length = i64::from(128 - mantissa.leading_zeros());
    let precision = i64::from(kind.precision());
    let drop_full = length - precision;
    let drop = drop_full.max(kind.least_exponent() - exponent);
    let (mut kept, inexact) = round_away_bits(mantissa, drop, sticky);
    let mut scale = exponent + drop;
    if kept >> precision != 0 {
        kept >>= 1;
        scale += 1;
    }
    rounding.inexact = inexact;
    let tiny_after_full_rounding = {
        let (full, _) = round_away_bits(mantissa, drop_full, sticky);
        let carried = i64::from(full >> precision != 0);
        exponent + drop_full + carried < kind.least_exponent()
    };
    rounding.underflow = inexact && tiny_after_full_rounding;
    if kept == 0 {
        return (number(Magnitude::Zero), rounding);
    }
    if scale > kind.greatest_exponent() {
        rounding.overflow = true;
        rounding.inexact = true;
        return (number(Magnitude::Infinite), rounding);
    }
    let magnitude = Magnitude::Finite {
        mantissa: kept as u64,
        exponent: scale as i32,
    };
    (number(magnitude), rounding)
}

/// `mantissa / 2^drop` to nearest, ties to even, and whether that lost something.
fn round_away_bits(mantissa: u128, drop: i64, sticky: bool) -> (u128, bool) {
    if drop <= 0 {
        // Widening is exact; the caller's precondition excludes a sticky bit here.
        return (mantissa << drop.unsigned_abs().min(127), sticky);
    }
    if drop > 128 {
        return (0, true);
    }
    let kept = if drop == 128 { 0 } else { mantissa >> drop };
    let half = 1u128 << (drop - 1);
    let rest = mantissa & (half | (half - 1));
    let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
    (kept + u128::from(up), rest != 0 || sticky)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interesting_bits() -> impl Iterator<Item = u64> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        (0..20_000).map(move |_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            state ^ state >> 29
        })
    }

    #[test]
    fn a_double_survives_the_round_trip() {
        for bits in interesting_bits() {
            let value = f64::from_bits(bits);
            let again = Floating::from_double(value);
            if !value.is_nan() {
                assert_eq!(again.to_double().to_bits(), bits);
                assert_eq!(
                    again.converted(FloatKind::Extended).to_double().to_bits(),
                    bits
                );
            }
        }
    }

    #[test]
    fn rounding_to_float_agrees_with_the_machine() {
        for bits in interesting_bits() {
            let value = f64::from_bits(bits);
            let near_float = f64::from_bits(bits & 0x8fff_ffff_ffff_ffff | 0x3000_0000_0000_0000);
            for value in [value, near_float] {
                if !value.is_nan() {
                    assert_eq!(
                        Floating::from_double(value)
                            .converted(FloatKind::Single)
                            .to_bits(),
                        u128::from((value as f32).to_bits())
                    );
                }
            }
        }
    }

    #[test]
    fn an_extended_number_survives_the_round_trip() {
        for bits in interesting_bits() {
            let wide = u128::from(bits) | 1 << 63 | u128::from(bits.rotate_left(17) & 0xffff) << 64;
            let number = Floating::from_extended(wide);
            assert_eq!(Floating::from_extended(number.to_bits()), number);
        }
    }
}

//! Which number does a floating-point format's bit pattern stand for, and which pattern is nearest to
//! a number?
//!
//! A finite number is `significand × 2^exponent` exactly, for every format up to the 80 bits of x86's
//! `long double`; the way back rounds once, to nearest, ties to even, as IEEE 754 defines it.

use std::cmp::Ordering;

/// An interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the significand, the integer bit included.
    precision: u32,
    exponent_bits: u32,
    /// The integer bit is stored.
    explicit: bool,
}

pub(crate) const HALF: Format = Format {
    precision: 11,
    exponent_bits: 5,
    explicit: false,
};
pub(crate) const BFLOAT: Format = Format {
    precision: 8,
    exponent_bits: 8,
    explicit: false,
};
pub(crate) const SINGLE: Format = Format {
    precision: 24,
    exponent_bits: 8,
    explicit: false,
};
pub(crate) const DOUBLE: Format = Format {
    precision: 53,
    exponent_bits: 11,
    explicit: false,
};
pub(crate) const EXTENDED: Format = Format {
    precision: 64,
    exponent_bits: 15,
    explicit: true,
};

/// A number taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unpacked {
    pub(crate) negative: bool,
    pub(crate) magnitude: Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Magnitude {
    Zero,
    /// `significand × 2^exponent`, the significand's top bit set.
    Finite {
        significand: u64,
        exponent: i32,
    },
    Infinite,
    NotANumber,
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Stored bits of the significand.
    fn stored(self) -> u32 {
        self.precision - u32::from(!self.explicit)
    }

    /// The exponent of the lowest significand bit of the smallest numbers.
    fn least_exponent(self) -> i32 {
        2 - self.bias() - self.precision as i32
    }

    fn highest_field(self) -> u128 {
        (1 << self.exponent_bits) - 1
    }

    pub(crate) fn unpack(self, bits: u128) -> Unpacked {
        let stored = self.stored();
        let negative = bits >> (stored + self.exponent_bits) & 1 == 1;
        let field = bits >> stored & self.highest_field();
        let fraction = (bits & ((1 << stored) - 1)) as u64;
        let below_integer_bit = fraction & ((1u64 << (self.precision - 1)) - 1);
        let magnitude = if field == self.highest_field() {
            if below_integer_bit == 0 {
                Magnitude::Infinite
            } else {
                Magnitude::NotANumber
            }
        } else {
            let (significand, exponent) = if field == 0 {
                (fraction, self.least_exponent())
            } else {
                let hidden = if self.explicit { 0 } else { 1 << stored };
                (fraction | hidden, self.least_exponent() + field as i32 - 1)
            };
            normalised(significand, exponent)
        };
        Unpacked {
            negative,
            magnitude,
        }
    }

    pub(crate) fn infinity(self, negative: bool) -> u128 {
        let integer_bit = if self.explicit {
            1 << (self.precision - 1)
        } else {
            0
        };
        self.sign(negative) | self.highest_field() << self.stored() | integer_bit
    }

    /// The quiet NaN that x86 makes of an invalid operation.
    pub(crate) fn not_a_number(self, negative: bool) -> u128 {
        self.infinity(negative) | 1 << (self.precision - 2)
    }

    pub(crate) fn sign(self, negative: bool) -> u128 {
        u128::from(negative) << (self.stored() + self.exponent_bits)
    }

    /// The number nearest to `significand × 2^exponent`, where `sticky` says that the true value is
    /// a little larger than that.
    pub(crate) fn round(
        self,
        negative: bool,
        significand: u128,
        exponent: i32,
        sticky: bool,
    ) -> u128 {
        if significand == 0 {
            return self.sign(negative);
        }
        let length = 128 - significand.leading_zeros() as i32;
        let lowest = (exponent + length - self.precision as i32).max(self.least_exponent());
        let shift = lowest - exponent;
        let (mut kept, half, below) = if shift <= 0 {
            // Exact: the number has no more bits than the format.
            (significand << -shift, false, false)
        } else if shift > 127 {
            (0, false, true)
        } else {
            (
                significand >> shift,
                significand >> (shift - 1) & 1 == 1,
                sticky || significand & ((1 << (shift - 1)) - 1) != 0,
            )
        };
        if half && (below || kept & 1 == 1) {
            kept += 1;
        }
        let mut lowest = lowest;
        if kept >> self.precision != 0 {
            kept >>= 1;
            lowest += 1;
        }
        let is_normal = kept >> (self.precision - 1) != 0;
        let field = if is_normal {
            (lowest - self.least_exponent() + 1) as u128
        } else {
            0
        };
        if field >= self.highest_field() {
            return self.infinity(negative);
        }
        let fraction = kept & ((1 << self.stored()) - 1);
        self.sign(negative) | field << self.stored() | fraction
    }

    pub(crate) fn pack(self, number: Unpacked) -> u128 {
        match number.magnitude {
            Magnitude::Zero => self.sign(number.negative),
            Magnitude::Finite {
                significand,
                exponent,
            } => self.round(number.negative, u128::from(significand), exponent, false),
            Magnitude::Infinite => self.infinity(number.negative),
            Magnitude::NotANumber => self.not_a_number(number.negative),
        }
    }

    /// The number in another format, rounded if it has to be.
    pub(crate) fn convert(self, bits: u128, to: Format) -> u128 {
        to.pack(self.unpack(bits))
    }
}

fn normalised(significand: u64, exponent: i32) -> Magnitude {
    if significand == 0 {
        return Magnitude::Zero;
    }
    let shift = significand.leading_zeros();
    Magnitude::Finite {
        significand: significand << shift,
        exponent: exponent - shift as i32,
    }
}

/// The order of two numbers of one format; `None` if either is not a number.
pub(crate) fn compare(format: Format, left: u128, right: u128) -> Option<Ordering> {
    let (a, b) = (format.unpack(left), format.unpack(right));
    let rank = |number: Unpacked| match number.magnitude {
        Magnitude::NotANumber => None,
        Magnitude::Zero => Some((0, 0, 0)),
        Magnitude::Finite {
            significand,
            exponent,
        } => Some((1, exponent, significand)),
        Magnitude::Infinite => Some((2, 0, 0)),
    };
    let (x, y) = (rank(a)?, rank(b)?);
    let signed = |negative: bool, order: Ordering| if negative { order.reverse() } else { order };
    Some(match (x.0, y.0) {
        (0, 0) => Ordering::Equal,
        (0, _) => signed(b.negative, Ordering::Less),
        (_, 0) => signed(a.negative, Ordering::Greater),
        _ if a.negative != b.negative => signed(a.negative, Ordering::Greater),
        _ => signed(a.negative, x.cmp(&y)),
    })
}

/// The integer part as sign and magnitude; `None` if it has more than 128 bits or is no number.
pub(crate) fn to_integer(format: Format, bits: u128) -> Option<(bool, u128)> {
    let number = format.unpack(bits);
    match number.magnitude {
        Magnitude::Zero => Some((number.negative, 0)),
        Magnitude::Finite {
            significand,
            exponent,
        } => {
            let significand = u128::from(significand);
            let magnitude = match exponent {
                ..=-64 => 0,
                -63..=0 => significand >> -exponent,
                1..=64 => significand << exponent,
                _ => return None,
            };
            Some((number.negative, magnitude))
        }
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn interesting() -> Vec<f64> {
        let mut values = vec![
            0.0,
            1.0,
            1.5,
            3.0,
            0.1,
            1e300,
            1e-300,
            5e-324,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::INFINITY,
            f64::NAN,
            123456789.125,
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..300 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            values.push(f64::from_bits(state));
            values.push((state >> 40) as f64);
        }
        values.extend(values.clone().iter().map(|value| -value));
        values
    }

    pub(crate) fn widen(value: f64) -> u128 {
        DOUBLE.convert(u128::from(value.to_bits()), EXTENDED)
    }

    pub(crate) fn narrow(bits: u128) -> f64 {
        f64::from_bits(EXTENDED.convert(bits, DOUBLE) as u64)
    }

    pub(crate) fn same(left: f64, right: f64) -> bool {
        left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
    }

    #[test]
    fn doubles_survive_the_way_through_the_wider_format() {
        for value in interesting() {
            assert!(same(narrow(widen(value)), value), "{value:e}");
        }
    }

    #[test]
    fn rounding_to_single_and_from_it_agrees_with_the_host() {
        for value in interesting() {
            let bits = DOUBLE.convert(u128::from(value.to_bits()), SINGLE) as u32;
            let host = value as f32;
            assert!(bits == host.to_bits() || host.is_nan(), "{value:e}");
            let back = f64::from_bits(SINGLE.convert(u128::from(bits), DOUBLE) as u64);
            assert!(same(back, f64::from(host)), "{value:e}");
        }
    }
}

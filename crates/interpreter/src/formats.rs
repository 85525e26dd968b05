//! Which number does a floating-point format's bit pattern stand for?
//!
//! A finite number is `significand × 2^exponent` exactly, for every format up to the 80 bits of x86's
//! `long double`, which has no Rust type. All formats become one plain value here; the way back to
//! another format rounds once ([`crate::rounding`]).

use crate::rounding::nearest;
use std::cmp::Ordering;

/// An interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the significand, the integer bit included.
    pub(crate) precision: u32,
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

/// A number of a format, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Floating {
    pub(crate) format: Format,
    pub(crate) negative: bool,
    pub(crate) magnitude: Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Magnitude {
    Zero,
    /// `significand × 2^exponent`, with the significand as the format stores it (integer bit
    /// included) unless it was [`Floating::normalised`].
    Finite {
        significand: u64,
        exponent: i32,
    },
    Infinite,
    /// The bits of the significand below the quiet bit are kept.
    NotANumber {
        payload: u64,
    },
}

impl Format {
    /// Bits of the whole pattern.
    pub(crate) fn width(self) -> u32 {
        self.stored() + self.exponent_bits + 1
    }

    /// Stored bits of the significand.
    fn stored(self) -> u32 {
        self.precision - u32::from(!self.explicit)
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the lowest significand bit of the smallest numbers.
    pub(crate) fn least_exponent(self) -> i32 {
        2 - self.bias() - self.precision as i32
    }

    /// The exponent of the lowest significand bit of the largest numbers.
    pub(crate) fn greatest_exponent(self) -> i32 {
        self.bias() + 1 - self.precision as i32
    }

    fn highest_field(self) -> u128 {
        (1 << self.exponent_bits) - 1
    }

    /// Encodings that no x86 since the 80387 produces (integer bit clear under a non-zero exponent)
    /// are not numbers, as the hardware treats them.
    pub(crate) fn unpack(self, bits: u128) -> Floating {
        let stored = self.stored();
        let field = bits >> stored & self.highest_field();
        let fraction = (bits & ((1 << stored) - 1)) as u64;
        let integer_bit = 1u64 << (self.precision - 1);
        let significand = if self.explicit || field == 0 {
            fraction
        } else {
            fraction | integer_bit
        };
        let magnitude = if field == self.highest_field() && significand == integer_bit {
            Magnitude::Infinite
        } else if field == self.highest_field() || field != 0 && significand & integer_bit == 0 {
            Magnitude::NotANumber {
                payload: fraction & ((integer_bit >> 1) - 1),
            }
        } else if significand == 0 {
            Magnitude::Zero
        } else {
            Magnitude::Finite {
                significand,
                exponent: self.least_exponent() + field.max(1) as i32 - 1,
            }
        };
        Floating {
            format: self,
            negative: bits >> (self.width() - 1) & 1 == 1,
            magnitude,
        }
    }

    fn bits_of(self, negative: bool, magnitude: Magnitude) -> u128 {
        let number = Floating {
            format: self,
            negative,
            magnitude,
        };
        number.to_bits()
    }

    pub(crate) fn zero(self, negative: bool) -> u128 {
        self.bits_of(negative, Magnitude::Zero)
    }

    pub(crate) fn infinity(self, negative: bool) -> u128 {
        self.bits_of(negative, Magnitude::Infinite)
    }

    /// The quiet NaN that x86 makes of an invalid operation.
    pub(crate) fn not_a_number(self, negative: bool) -> u128 {
        self.bits_of(negative, Magnitude::NotANumber { payload: 0 })
    }

    /// The bits of the number [`nearest`] to `significand × 2^exponent`.
    pub(crate) fn round(
        self,
        negative: bool,
        significand: u128,
        exponent: i32,
        sticky: bool,
    ) -> u128 {
        let exponent = i64::from(exponent);
        let (number, _) = nearest(self, negative, significand, exponent, sticky);
        number.to_bits()
    }

    /// The number in another format, rounded if it has to be.
    pub(crate) fn convert(self, bits: u128, to: Format) -> u128 {
        self.unpack(bits).converted(to).to_bits()
    }
}

impl Floating {
    pub(crate) fn from_single(value: f32) -> Floating {
        SINGLE.unpack(u128::from(value.to_bits()))
    }

    pub(crate) fn from_double(value: f64) -> Floating {
        DOUBLE.unpack(u128::from(value.to_bits()))
    }

    /// The bits of the number in its own format; a NaN is made quiet.
    pub(crate) fn to_bits(self) -> u128 {
        let format = self.format;
        let integer_bit = 1u64 << (format.precision - 1);
        let (field, significand) = match self.magnitude {
            Magnitude::Zero => (0, 0),
            Magnitude::Infinite => (format.highest_field(), integer_bit),
            Magnitude::NotANumber { payload } => (
                format.highest_field(),
                integer_bit | integer_bit >> 1 | payload,
            ),
            Magnitude::Finite {
                significand,
                exponent,
            } => {
                let is_normal = significand & integer_bit != 0;
                let step = (exponent - format.least_exponent()) as u128;
                (if is_normal { step + 1 } else { 0 }, significand)
            }
        };
        let stored = format.stored();
        let fraction = u128::from(significand) & ((1 << stored) - 1);
        u128::from(self.negative) << (format.width() - 1) | field << stored | fraction
    }

    /// The same number as a `double`, rounded to nearest.
    pub(crate) fn to_double(self) -> f64 {
        f64::from_bits(self.converted(DOUBLE).to_bits() as u64)
    }

    /// The same number in another format, rounded to nearest; a payload is cut from below.
    pub(crate) fn converted(self, format: Format) -> Floating {
        let magnitude = match self.magnitude {
            Magnitude::Finite {
                significand,
                exponent,
            } => {
                let (significand, exponent) = (u128::from(significand), i64::from(exponent));
                return nearest(format, self.negative, significand, exponent, false).0;
            }
            Magnitude::NotANumber { payload } => {
                let (from, to) = (self.format.precision, format.precision);
                let payload = if to >= from {
                    payload << (to - from)
                } else {
                    payload >> (from - to)
                };
                Magnitude::NotANumber { payload }
            }
            other => other,
        };
        Floating {
            format,
            magnitude,
            ..self
        }
    }

    /// The same number with the significand's top bit set: what arithmetic works on. Its bits in the
    /// format can no longer be asked for.
    pub(crate) fn normalised(self) -> Floating {
        let Magnitude::Finite {
            significand,
            exponent,
        } = self.magnitude
        else {
            return self;
        };
        let shift = significand.leading_zeros();
        Floating {
            magnitude: Magnitude::Finite {
                significand: significand << shift,
                exponent: exponent - shift as i32,
            },
            ..self
        }
    }
}

/// The order of two numbers of one format; `None` if either is not a number.
pub(crate) fn compare(format: Format, left: u128, right: u128) -> Option<Ordering> {
    let (a, b) = (
        format.unpack(left).normalised(),
        format.unpack(right).normalised(),
    );
    let rank = |number: Floating| match number.magnitude {
        Magnitude::NotANumber { .. } => None,
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
    let number = format.unpack(bits).normalised();
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
pub(crate) mod tests;

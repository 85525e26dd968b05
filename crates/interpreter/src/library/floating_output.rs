//! How does `printf` write a floating-point number?
//!
//! Every binary floating-point number has a finite decimal expansion. It is computed in full
//! ([`Natural`]), and `%f`, `%e` and `%g` round that text half to even, so the output is exact for
//! every value and every precision. `%a` writes the significand's bits; like glibc, a `double` shows its
//! integer bit and an 80-bit `long double` its four top bits before the point.

use super::natural::Natural;
use crate::formats::{EXTENDED, Floating, Magnitude};

/// What a floating-point conversion asks for beside sign, width and padding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatStyle {
    /// One of `a`, `e`, `f`, `g`, in lower case.
    pub(crate) conversion: u8,
    pub(crate) uppercase: bool,
    pub(crate) precision: Option<usize>,
    /// The `#` flag: always a point, and `%g` keeps its zeros.
    pub(crate) alternate: bool,
}

/// The text of a number without its sign.
pub(crate) struct FloatText {
    /// `0x` of `%a`: zeros that fill the width come after it.
    pub(crate) prefix: &'static [u8],
    pub(crate) body: Vec<u8>,
    /// Infinities and NaNs are never filled with zeros.
    pub(crate) finite: bool,
}

/// The text of the number's absolute value.
pub(crate) fn floating_text(number: Floating, style: FloatStyle) -> FloatText {
    let word = |lower: &[u8]| FloatText {
        prefix: b"",
        body: if style.uppercase {
            lower.to_ascii_uppercase()
        } else {
            lower.to_vec()
        },
        finite: false,
    };
    match number.magnitude {
        Magnitude::Infinite => return word(b"inf"),
        Magnitude::NotANumber { .. } => return word(b"nan"),
        Magnitude::Zero | Magnitude::Finite { .. } => {}
    }
    if style.conversion == b'a' {
        let prefix: &[u8] = if style.uppercase { b"0X" } else { b"0x" };
        let mut body = hexadecimal(number, style);
        if style.uppercase {
            body.make_ascii_uppercase();
        }
        return FloatText {
            prefix,
            body,
            finite: true,
        };
    }
    let expansion = Expansion::of(number.magnitude);
    let precision = style.precision.unwrap_or(6);
    let mut body = match style.conversion {
        b'f' => expansion.fixed(precision, style.alternate),
        b'e' => expansion.scientific(precision, style.alternate),
        _ => expansion.general(precision.max(1), style.alternate),
    };
    if style.uppercase {
        body.make_ascii_uppercase();
    }
    FloatText {
        prefix: b"",
        body,
        finite: true,
    }
}

/// A decimal expansion: `0.d₁d₂d₃… × 10^point`, with no digits for zero.
#[derive(Clone, Debug)]
struct Expansion {
    digits: Vec<u8>,
    point: i64,
}

impl Expansion {
    fn of(magnitude: Magnitude) -> Expansion {
        let Magnitude::Finite {
            significand,
            exponent,
        } = magnitude
        else {
            return Expansion {
                digits: Vec::new(),
                point: 1,
            };
        };
        let mut integer = Natural::from_u64(significand);
        let mut fraction_digits = 0;
        if exponent >= 0 {
            integer.shift_left(exponent as u64);
        } else {
            integer.multiply_power_of_five(exponent.unsigned_abs());
            fraction_digits = i64::from(exponent.unsigned_abs());
        }
        let digits = integer.into_decimal();
        let point = digits.len() as i64 - fraction_digits;
        Expansion { digits, point }
    }

    fn digit(&self, index: i64) -> u8 {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.digits.get(index).copied())
            .unwrap_or(b'0')
    }

    /// Keeps `count` digits, rounding half to even on the exact value.
    fn round(&self, count: i64) -> Expansion {
        if count >= self.digits.len() as i64 {
            return self.clone();
        }
        let kept = count.max(0) as usize;
        let mut digits = self.digits[..kept].to_vec();
        // With count < 0 the value is below a tenth of the last kept place: it rounds to zero.
        let up = count >= 0 && {
            let rest = &self.digits[kept..];
            let odd = kept > 0 && (digits[kept - 1] - b'0') % 2 == 1;
            rest[0] > b'5'
                || (rest[0] == b'5' && (odd || rest[1..].iter().any(|digit| *digit != b'0')))
        };
        if !up {
            return Expansion {
                digits,
                point: self.point,
            };
        }
        for index in (0..kept).rev() {
            if digits[index] != b'9' {
                digits[index] += 1;
                return Expansion {
                    digits,
                    point: self.point,
                };
            }
            digits[index] = b'0';
        }
        digits.insert(0, b'1');
        Expansion {
            digits,
            point: self.point + 1,
        }
    }

    fn fixed(&self, precision: usize, alternate: bool) -> Vec<u8> {
        let rounded = self.round(self.point.saturating_add(precision as i64));
        let mut text = Vec::new();
        for index in 0..rounded.point {
            text.push(rounded.digit(index));
        }
        if text.is_empty() || rounded.digits.is_empty() {
            text = vec![b'0'];
        }
        if precision > 0 || alternate {
            text.push(b'.');
        }
        let first = if rounded.digits.is_empty() {
            1
        } else {
            rounded.point
        };
        for place in 0..precision as i64 {
            text.push(rounded.digit(first + place));
        }
        text
    }

    /// The exponent that `%e` shows.
    fn exponent(&self) -> i64 {
        if self.digits.is_empty() {
            0
        } else {
            self.point - 1
        }
    }

    fn scientific(&self, precision: usize, alternate: bool) -> Vec<u8> {
        let rounded = self.round(precision as i64 + 1);
        let mut text = vec![rounded.digit(0)];
        if precision > 0 || alternate {
            text.push(b'.');
        }
        for place in 1..=precision as i64 {
            text.push(rounded.digit(place));
        }
        push_exponent(&mut text, rounded.exponent());
        text
    }

    fn general(&self, precision: usize, alternate: bool) -> Vec<u8> {
        let exponent = self.round(precision as i64).exponent();
        let scientific = exponent < -4 || exponent >= precision as i64;
        let mut text = if scientific {
            self.scientific(precision - 1, alternate)
        } else {
            self.fixed((precision as i64 - 1 - exponent) as usize, alternate)
        };
        // glibc forgets the zeros that `#` keeps when rounding carries into the scientific form.
        let carried = alternate && exponent == precision as i64 && self.exponent() < exponent;
        if !alternate || carried {
            let mantissa_end = text
                .iter()
                .position(|byte| *byte == b'e')
                .unwrap_or(text.len());
            let tail = text.split_off(mantissa_end);
            if text.contains(&b'.') {
                while text.last() == Some(&b'0') {
                    text.pop();
                }
                if text.last() == Some(&b'.') && !alternate {
                    text.pop();
                }
            }
            text.extend(tail);
        }
        text
    }
}

/// `e±dd`, with at least two digits.
fn push_exponent(text: &mut Vec<u8>, exponent: i64) {
    text.push(b'e');
    text.push(if exponent < 0 { b'-' } else { b'+' });
    text.extend(format!("{:02}", exponent.unsigned_abs()).into_bytes());
}

/// `h.hhhp±d` of `%a`, without the `0x`.
fn hexadecimal(number: Floating, style: FloatStyle) -> Vec<u8> {
    let (significand, exponent) = match number.magnitude {
        Magnitude::Finite {
            significand,
            exponent,
        } => (significand, i64::from(exponent)),
        _ => (0, 0),
    };
    // Nibbles after the point; a `float` is always printed as the `double` it was promoted to.
    let nibbles = if number.format == EXTENDED { 15 } else { 13 };
    let mut leading = (u128::from(significand) >> (4 * nibbles)) as u64;
    let mut fraction = significand & ((1u64 << (4 * nibbles)) - 1);
    let mut shown_exponent = if significand == 0 {
        0
    } else {
        exponent + 4 * nibbles as i64
    };
    let mut places = nibbles;
    if let Some(precision) = style.precision
        && precision < nibbles
    {
        let dropped = 4 * (nibbles - precision);
        let kept = (leading << (4 * precision)) | (fraction >> dropped);
        let rest = fraction & ((1u64 << dropped) - 1);
        let half = 1u64 << (dropped - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        // At most 61 bits: the leading nibble and fewer than fifteen others.
        let kept = kept + u64::from(up);
        leading = kept >> (4 * precision);
        fraction = kept & ((1u64 << (4 * precision)) - 1);
        places = precision;
        if leading == 16 {
            leading = 1;
            shown_exponent += 4;
        }
    }
    let mut digits = format!("{fraction:0places$x}").into_bytes();
    digits.truncate(places);
    match style.precision {
        None => {
            while digits.last() == Some(&b'0') {
                digits.pop();
            }
        }
        Some(precision) => digits.resize(precision, b'0'),
    }
    let mut text = format!("{leading:x}").into_bytes();
    if !digits.is_empty() || style.alternate {
        text.push(b'.');
    }
    text.extend(digits);
    text.extend(format!("p{shown_exponent:+}").into_bytes());
    text
}

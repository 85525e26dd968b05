//! Integer and floating-point literals.
//!
//! Integers are kept as the low bits of their two's complement form. Floating
//! point is kept as the bit pattern of its own format; LLVM writes a `float`
//! or `double` either as a decimal that is exact in `double`, or as the bits
//! of a `double`.

use super::fault::Read;
use super::reader::Reader;
use knockon_program::{Constant, Type, TypeId};

/// Longer literals are refused: reading decimal digits takes quadratic time.
const DIGIT_LIMIT: usize = 20_000;

impl Reader<'_> {
    /// A literal that begins with a digit or a sign.
    pub(crate) fn numeric_literal(&mut self, type_id: TypeId) -> Read<Constant> {
        match *self.program.types.get(type_id) {
            Type::Integer(width) => self.integer_literal(type_id, width),
            Type::Float
            | Type::Double
            | Type::Half
            | Type::BFloat
            | Type::X86Fp80
            | Type::Fp128
            | Type::PpcFp128 => self.float_literal(type_id),
            _ => Err(self
                .cursor
                .fault("a number needs an integer or floating-point type")),
        }
    }

    fn integer_literal(&mut self, type_id: TypeId, width: u32) -> Read<Constant> {
        let start = self.cursor;
        let negative = self.cursor.peek() == b'-';
        self.cursor.at += usize::from(negative);
        if width <= 128 {
            let mut bits = 0u128;
            let first = self.cursor.at;
            while let digit @ b'0'..=b'9' = self.cursor.peek() {
                bits = bits.wrapping_mul(10).wrapping_add(u128::from(digit - b'0'));
                self.cursor.at += 1;
            }
            if self.cursor.at == first {
                return Err(start.fault("expected digits"));
            }
            if negative {
                bits = bits.wrapping_neg();
            }
            return Ok(Constant::Integer {
                type_id,
                bits: low_bits(bits, width),
            });
        }
        let digits = self.cursor.word();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(start.fault("expected digits"));
        }
        self.wide_integer(type_id, width, digits, 10, negative)
    }

    /// `u0x…` and `s0x…`.
    pub(crate) fn hexadecimal_integer(&mut self, type_id: TypeId, word: &[u8]) -> Read<Constant> {
        let Type::Integer(width) = *self.program.types.get(type_id) else {
            return Err(self
                .cursor
                .fault("a number needs an integer or floating-point type"));
        };
        let digits = &word[3..];
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(self.cursor.fault("expected hexadecimal digits"));
        }
        // `s` gives a value as wide as its digits, whose top bit is the sign.
        let negative = word[0] == b's' && hex_digit(digits[0]) >= 8;
        if width <= 128 {
            let mut bits = if negative { u128::MAX } else { 0 };
            for &digit in digits {
                bits = (bits << 4) | u128::from(hex_digit(digit));
            }
            return Ok(Constant::Integer {
                type_id,
                bits: low_bits(bits, width),
            });
        }
        if negative {
            return Err(self
                .cursor
                .fault("a signed hexadecimal integer wider than 128 bits"));
        }
        self.wide_integer(type_id, width, digits, 16, false)
    }

    fn wide_integer(
        &mut self,
        type_id: TypeId,
        width: u32,
        digits: &[u8],
        base: u64,
        negative: bool,
    ) -> Read<Constant> {
        if digits.len() > DIGIT_LIMIT {
            return Err(self.cursor.fault("an integer of more than 20000 digits"));
        }
        let mut magnitude: Vec<u64> = Vec::new();
        for &digit in digits {
            let mut carry = u128::from(hex_digit(digit));
            for word in &mut magnitude {
                carry += u128::from(*word) * u128::from(base);
                *word = carry as u64;
                carry >>= 64;
            }
            if carry != 0 {
                magnitude.push(carry as u64);
            }
        }
        let count = width.div_ceil(64) as usize;
        self.spend(count * 8)?;
        magnitude.resize(count, 0);
        if negative {
            let mut carry = true;
            for word in &mut magnitude {
                let (sum, overflow) = (!*word).overflowing_add(u64::from(carry));
                (*word, carry) = (sum, overflow);
            }
        }
        if !width.is_multiple_of(64)
            && let Some(top) = magnitude.last_mut()
        {
            *top &= (1 << (width % 64)) - 1;
        }
        Ok(Constant::WideInteger {
            type_id,
            words: magnitude.into_boxed_slice(),
        })
    }

    fn float_literal(&mut self, type_id: TypeId) -> Read<Constant> {
        let start = self.cursor;
        while matches!(self.cursor.peek(), b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'-' | b'+')
        {
            self.cursor.at += 1;
        }
        let literal = &start.text[start.at..self.cursor.at];
        let kind = self.program.types.get(type_id);
        match float_bits(literal, kind) {
            Some(bits) => Ok(Constant::Float { type_id, bits }),
            None => Err(start.fault("this is no literal of the floating-point type")),
        }
    }
}

fn hex_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        b'A'..=b'F' => digit - b'A' + 10,
        _ => 0,
    }
}

pub(crate) fn low_bits(bits: u128, width: u32) -> u128 {
    if width >= 128 {
        bits
    } else {
        bits & ((1u128 << width) - 1)
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u128> {
    let text = std::str::from_utf8(digits).ok()?;
    if text.starts_with('+') {
        return None;
    }
    u128::from_str_radix(text, 16).ok()
}

fn float_bits(literal: &[u8], kind: &Type) -> Option<u128> {
    let Some(digits) = literal.strip_prefix(b"0x") else {
        let value: f64 = std::str::from_utf8(literal).ok()?.parse().ok()?;
        return from_double(value, kind);
    };
    match (digits.split_first()?, kind) {
        ((b'K', digits), Type::X86Fp80) => hexadecimal(digits).filter(|bits| bits >> 80 == 0),
        ((b'L', digits), Type::Fp128) | ((b'M', digits), Type::PpcFp128) => {
            // The low half is written first.
            if digits.len() != 32 {
                return hexadecimal(digits);
            }
            hexadecimal(digits).map(|bits| bits.rotate_left(64))
        }
        ((b'H', digits), Type::Half) | ((b'R', digits), Type::BFloat) => {
            hexadecimal(digits).filter(|bits| bits >> 16 == 0)
        }
        _ => {
            let bits = u64::try_from(hexadecimal(digits)?).ok()?;
            match kind {
                Type::Double => Some(u128::from(bits)),
                Type::Float => Some(u128::from(narrowed(bits, 8, 23))),
                _ => from_double(f64::from_bits(bits), kind),
            }
        }
    }
}

fn from_double(value: f64, kind: &Type) -> Option<u128> {
    let bits = value.to_bits();
    Some(match kind {
        Type::Double => u128::from(bits),
        Type::Float => u128::from(narrowed(bits, 8, 23)),
        Type::Half => u128::from(narrowed(bits, 5, 10)),
        Type::BFloat => u128::from(narrowed(bits, 8, 7)),
        _ => return None,
    })
}

/// A double's bits in a narrower IEEE format, rounded to nearest even. A NaN
/// keeps the high bits of its payload, which the host's own conversion does
/// not promise.
fn narrowed(bits: u64, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let sign = (bits >> 63) << (exponent_bits + fraction_bits);
    let exponent = ((bits >> 52) & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let maximum = (1u64 << exponent_bits) - 1;
    let dropped = 52 - fraction_bits;
    if exponent == 0x7ff {
        let kept = fraction >> dropped;
        let kept = if fraction != 0 && kept == 0 {
            1 << (fraction_bits - 1)
        } else {
            kept
        };
        return sign | (maximum << fraction_bits) | kept;
    }
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let target = exponent - 1023 + bias;
    if target >= maximum as i64 {
        return sign | (maximum << fraction_bits);
    }
    // The significand with its leading one; a subnormal double is far below
    // what any narrower format holds.
    let significand = if exponent == 0 {
        0
    } else {
        fraction | (1 << 52)
    };
    let (base, shift) = if target > 0 {
        ((target as u64) << fraction_bits, i64::from(dropped))
    } else {
        (0, i64::from(dropped) + 1 - target)
    };
    if shift > 53 {
        return sign;
    }
    let kept = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
    // A normal number's leading one is part of `kept`; it counts one exponent.
    let magnitude = if target > 0 {
        base + rounded - (1 << fraction_bits)
    } else {
        rounded
    };
    sign | magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_literals_are_bits_of_a_double_rounded_to_the_type() {
        let float = |text: &str| float_bits(text.as_bytes(), &Type::Float);
        assert_eq!(float("1.000000e+00"), Some(0x3f80_0000));
        assert_eq!(
            float("0x3FB99999A0000000"),
            Some(u128::from(0.1f32.to_bits()))
        );
        assert_eq!(float("0x7FF0000000000000"), Some(0x7f80_0000));
        assert_eq!(float("0x7FF8000000000000"), Some(0x7fc0_0000));
        assert_eq!(float("0x36A0000000000000"), Some(1));
    }

    #[test]
    fn narrowing_agrees_with_the_host_on_floats() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let exponent = 1023 - 160 + (state >> 32) % 300;
            let value = f64::from_bits((state & 0x800f_ffff_ffff_ffff) | (exponent << 52));
            assert_eq!(
                narrowed(value.to_bits(), 8, 23),
                u64::from((value as f32).to_bits()),
                "{value:e}"
            );
        }
    }

    #[test]
    fn other_formats_have_their_own_letter() {
        assert_eq!(
            float_bits(b"0xK3FFF8000000000000000", &Type::X86Fp80),
            Some(0x3fff_8000_0000_0000_0000)
        );
        assert_eq!(
            float_bits(b"0xL00000000000000003FFF000000000000", &Type::Fp128),
            Some(0x3fff_0000_0000_0000 << 64)
        );
        assert_eq!(float_bits(b"0xH3C00", &Type::Half), Some(0x3c00));
        assert_eq!(float_bits(b"1.0", &Type::Half), Some(0x3c00));
        assert_eq!(float_bits(b"0xR3F80", &Type::BFloat), Some(0x3f80));
        assert_eq!(float_bits(b"0xH3C00", &Type::BFloat), None);
    }
}

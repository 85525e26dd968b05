//! Which number does a text begin with, as `strtol` and `strtod` read it?
//!
//! C11 7.22.1 with glibc's choices (C locale, `nan(…)` payloads, underflow detected after rounding).
//! The functions see the bytes that are there (without the NUL) and tell both where the number ends
//! and how many bytes had to be looked at: a caller whose bytes end at the end of an object instead of
//! at a NUL can then say whether the real function would have read beyond it. Decimal text is rounded
//! correctly: by Rust's parser where a `float` or `double` is in the normal range, and by exact
//! division everywhere else.

use super::natural::Natural;
use crate::formats::{EXTENDED, Floating, Format, Magnitude, SINGLE};
use crate::rounding::nearest_in_range;

/// An integer as `strtol` and its relatives read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerText {
    negative: bool,
    magnitude: u64,
    /// The magnitude does not fit 64 bits.
    overflow: bool,
    /// Bytes of the number with what comes before it; 0 when there is no number.
    pub end: usize,
    /// Bytes that had to be looked at; more than there are when the text ended too early to tell.
    pub examined: usize,
}

impl IntegerText {
    /// The result of `strtol` or `strtoll`, and whether `errno` becomes `ERANGE`.
    pub fn signed(self) -> (i64, bool) {
        let limit = i64::MAX as u64 + u64::from(self.negative);
        match (self.overflow || self.magnitude > limit, self.negative) {
            (true, true) => (i64::MIN, true),
            (true, false) => (i64::MAX, true),
            (false, true) => ((self.magnitude as i64).wrapping_neg(), false),
            (false, false) => (self.magnitude as i64, false),
        }
    }

    /// The result of `strtoul` or `strtoull`, and whether `errno` becomes `ERANGE`.
    pub fn unsigned(self) -> (u64, bool) {
        match (self.overflow, self.negative) {
            (true, _) => (u64::MAX, true),
            (false, true) => (self.magnitude.wrapping_neg(), false),
            (false, false) => (self.magnitude, false),
        }
    }
}

/// C's `isspace` in the C locale.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A text with a memory of how far it was looked at.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    examined: usize,
}

impl Cursor<'_> {
    fn peek_after(&mut self, offset: usize) -> Option<u8> {
        let index = self.at + offset;
        self.examined = self.examined.max(index + 1);
        self.text.get(index).copied()
    }

    fn peek(&mut self) -> Option<u8> {
        self.peek_after(0)
    }

    /// Takes the word if it is next, in any case.
    fn eat_word(&mut self, word: &[u8]) -> bool {
        for (offset, expected) in word.iter().enumerate() {
            if self
                .peek_after(offset)
                .map(|byte| byte.to_ascii_lowercase())
                != Some(*expected)
            {
                return false;
            }
        }
        self.at += word.len();
        true
    }

    /// Skips white space and a sign; the answer is whether it was a minus.
    fn eat_sign(&mut self) -> bool {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
        let sign = self.peek();
        self.at += usize::from(matches!(sign, Some(b'+' | b'-')));
        sign == Some(b'-')
    }
}

fn digit_value(byte: Option<u8>, base: u32) -> Option<u32> {
    char::from(byte?).to_digit(base)
}

/// Reads an integer; `None` when the base is neither 0 nor 2 to 36 (`errno` becomes `EINVAL`).
/// `binary_prefix` is C23's reading of `0b`.
pub fn read_integer(text: &[u8], base: i32, binary_prefix: bool) -> Option<IntegerText> {
    if base != 0 && !(2..=36).contains(&base) {
        return None;
    }
    let mut cursor = Cursor {
        text,
        at: 0,
        examined: 0,
    };
    let negative = cursor.eat_sign();
    let mut base = base as u32;
    if matches!(base, 0 | 2 | 16) && cursor.peek() == Some(b'0') {
        let letter = cursor.peek_after(1).map(|byte| byte.to_ascii_lowercase());
        if base != 2 && letter == Some(b'x') && digit_value(cursor.peek_after(2), 16).is_some() {
            base = 16;
            cursor.at += 2;
        } else if base != 16
            && binary_prefix
            && letter == Some(b'b')
            && digit_value(cursor.peek_after(2), 2).is_some()
        {
            base = 2;
            cursor.at += 2;
        } else if base == 0 {
            base = 8;
        }
    } else if base == 0 {
        base = 10;
    }
    let first_digit = cursor.at;
    let (mut magnitude, mut overflow) = (0u64, false);
    while let Some(digit) = digit_value(cursor.peek(), base) {
        let next = magnitude
            .checked_mul(u64::from(base))
            .and_then(|value| value.checked_add(u64::from(digit)));
        overflow |= next.is_none();
        magnitude = next.unwrap_or(magnitude);
        cursor.at += 1;
    }
    let found = cursor.at > first_digit;
    Some(IntegerText {
        negative: negative && found,
        magnitude,
        overflow,
        end: if found { cursor.at } else { 0 },
        examined: cursor.examined,
    })
}

/// A floating-point number as `strtod` and its relatives read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingText {
    pub value: Floating,
    /// `errno` becomes `ERANGE`: the number overflowed, or lost bits below the normal range.
    pub range_error: bool,
    /// Bytes of the number with what comes before it; 0 when there is no number.
    pub end: usize,
    /// Bytes that had to be looked at; more than there are when the text ended too early to tell.
    pub examined: usize,
}

/// Reads a floating-point number of the format.
pub fn read_floating(text: &[u8], format: Format) -> FloatingText {
    let mut cursor = Cursor {
        text,
        at: 0,
        examined: 0,
    };
    let negative = cursor.eat_sign();
    let number = |magnitude| Floating {
        format,
        negative,
        magnitude,
    };
    let (value, range_error) = if cursor.eat_word(b"inf") {
        cursor.eat_word(b"inity");
        (number(Magnitude::Infinite), false)
    } else if cursor.eat_word(b"nan") {
        let (payload, range_error) = nan_payload(&mut cursor, format);
        (number(Magnitude::NotANumber { payload }), range_error)
    } else if starts_hexadecimal(&mut cursor) {
        hexadecimal(&mut cursor, format, negative)
    } else if let Some(read) = decimal(&mut cursor, format, negative) {
        read
    } else {
        let zero = Floating {
            format,
            negative: false,
            magnitude: Magnitude::Zero,
        };
        return FloatingText {
            value: zero,
            range_error: false,
            end: 0,
            examined: cursor.examined,
        };
    };
    FloatingText {
        value,
        range_error,
        end: cursor.at,
        examined: cursor.examined,
    }
}

/// `(digits)` after `nan`: a payload when it is one number, else only skipped. A number of more than
/// 64 bits leaves `ERANGE` behind.
fn nan_payload(cursor: &mut Cursor<'_>, format: Format) -> (u64, bool) {
    if cursor.peek() != Some(b'(') {
        return (0, false);
    }
    let mut length = 1;
    while cursor
        .peek_after(length)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        length += 1;
    }
    if cursor.peek_after(length) != Some(b')') {
        return (0, false);
    }
    let inside = &cursor.text[cursor.at + 1..cursor.at + length];
    cursor.at += length + 1;
    let Some(integer) = read_integer(inside, 0, false) else {
        return (0, false);
    };
    let (value, range_error) = integer.unsigned();
    let whole = integer.end == inside.len();
    let payload = value & ((1 << (format.precision - 2)) - 1);
    (if whole { payload } else { 0 }, range_error)
}

/// Takes `0x` when a hexadecimal digit follows, before or after a point.
fn starts_hexadecimal(cursor: &mut Cursor<'_>) -> bool {
    if cursor.peek() != Some(b'0') || !matches!(cursor.peek_after(1), Some(b'x' | b'X')) {
        return false;
    }
    let skip = if cursor.peek_after(2) == Some(b'.') {
        3
    } else {
        2
    };
    let found = digit_value(cursor.peek_after(skip), 16).is_some();
    cursor.at += if found { 2 } else { 0 };
    found
}

/// Far outside every format, and small enough to add without overflow.
const EXPONENT_LIMIT: i64 = 1 << 40;

/// An exponent after `letter`, or nothing when no digit follows it.
fn exponent(cursor: &mut Cursor<'_>, letter: u8) -> i64 {
    if cursor.peek().map(|byte| byte.to_ascii_lowercase()) != Some(letter) {
        return 0;
    }
    let sign = cursor.peek_after(1);
    let skip = if matches!(sign, Some(b'+' | b'-')) {
        2
    } else {
        1
    };
    if digit_value(cursor.peek_after(skip), 10).is_none() {
        return 0;
    }
    cursor.at += skip;
    let mut value = 0i64;
    while let Some(digit) = digit_value(cursor.peek(), 10) {
        value = (value * 10 + i64::from(digit)).min(EXPONENT_LIMIT);
        cursor.at += 1;
    }
    if sign == Some(b'-') { -value } else { value }
}

/// Digits around an optional point, leading zeros dropped, and how many came after the point.
fn digits(cursor: &mut Cursor<'_>, base: u32) -> (Vec<u8>, i64, bool) {
    let mut found = Vec::new();
    let (mut after_point, mut any, mut point) = (0, false, false);
    loop {
        match cursor.peek() {
            Some(b'.') if !point => point = true,
            Some(byte) if digit_value(Some(byte), base).is_some() => {
                any = true;
                after_point += i64::from(point);
                if byte != b'0' || !found.is_empty() {
                    found.push(byte);
                }
            }
            _ => return (found, after_point, any),
        }
        cursor.at += 1;
    }
}

fn hexadecimal(cursor: &mut Cursor<'_>, format: Format, negative: bool) -> (Floating, bool) {
    /// Nibbles that the mantissa below holds; what comes after them only decides ties.
    const KEPT: usize = 30;
    let (found, after_point, _) = digits(cursor, 16);
    let power = exponent(cursor, b'p');
    let kept = found.len().min(KEPT);
    let mantissa = found[..kept].iter().fold(0u128, |sum, byte| {
        sum << 4 | u128::from(digit_value(Some(*byte), 16).unwrap_or(0))
    });
    let sticky = found[kept..].iter().any(|byte| *byte != b'0');
    let scale = power - 4 * after_point + 4 * (found.len() - kept) as i64;
    nearest_in_range(format, negative, mantissa, scale, sticky)
}

fn decimal(cursor: &mut Cursor<'_>, format: Format, negative: bool) -> Option<(Floating, bool)> {
    let start = cursor.at;
    let (mut found, after_point, any) = digits(cursor, 10);
    if !any {
        cursor.at = start;
        return None;
    }
    let mut power = exponent(cursor, b'e') - after_point;
    while found.last() == Some(&b'0') {
        found.pop();
        power += 1;
    }
    if found.is_empty() {
        let zero = Floating {
            format,
            negative,
            magnitude: Magnitude::Zero,
        };
        return Some((zero, false));
    }
    if format != EXTENDED
        && let Some(value) = machine_decimal(&found, power, format, negative)
    {
        return Some((value, false));
    }
    Some(exact_decimal(found, power, format, negative))
}

/// Rust's correctly rounded parser; `None` where the result does not tell whether `errno` is set.
fn machine_decimal(found: &[u8], power: i64, format: Format, negative: bool) -> Option<Floating> {
    let text = format!("{}e{power}", std::str::from_utf8(found).ok()?);
    let value = match format {
        SINGLE => {
            let value: f32 = text.parse().ok()?;
            (value.is_finite() && value > f32::MIN_POSITIVE)
                .then(|| Floating::from_single(value))?
        }
        _ => {
            let value: f64 = text.parse().ok()?;
            (value.is_finite() && value > f64::MIN_POSITIVE)
                .then(|| Floating::from_double(value))?
        }
    };
    Some(Floating { negative, ..value })
}

/// `digits × 10^power` by exact division.
fn exact_decimal(
    mut found: Vec<u8>,
    power: i64,
    format: Format,
    negative: bool,
) -> (Floating, bool) {
    /// More digits than any tie between two numbers of any format has; the rest only breaks ties.
    const ENOUGH: usize = 12_000;
    /// Beyond any format's largest and smallest number.
    const LARGEST: i64 = 5_000;
    let mut power = power;
    if found.len() > ENOUGH {
        power += (found.len() - ENOUGH) as i64 - 1;
        found.truncate(ENOUGH);
        found.push(b'1');
    }
    let magnitude = found.len() as i64 + power;
    let number = |magnitude| Floating {
        format,
        negative,
        magnitude,
    };
    if magnitude > LARGEST {
        return (number(Magnitude::Infinite), true);
    }
    if magnitude < -LARGEST {
        return (number(Magnitude::Zero), true);
    }
    let mut numerator = Natural::from_decimal(&found);
    let mut denominator = Natural::from_u64(1);
    let fives = u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX);
    if power >= 0 {
        numerator.multiply_power_of_five(fives);
    } else {
        denominator.multiply_power_of_five(fives);
    }
    let (quotient, scale, sticky) = numerator.leading_quotient(&denominator, format.precision + 4);
    nearest_in_range(format, negative, quotient, scale + power, sticky)
}

#[cfg(test)]
mod tests;

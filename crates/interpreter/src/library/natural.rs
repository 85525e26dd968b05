//! Which exact integer stands behind a floating-point number's decimal text?
//!
//! A binary floating-point value is `mantissa × 2^exponent`, so its decimal expansion is finite and
//! equals that of an integer: `mantissa × 2^exponent` or `mantissa × 5^-exponent` shifted by a power
//! of ten. This module has just the operations that this needs, on little-endian 32-bit limbs without
//! leading zero limbs. Every operation is linear in the number of limbs (at most 1,200 for the 80-bit
//! format), conversions to and from decimal are quadratic.

use std::cmp::Ordering;

/// The largest power of five that fits a limb, and its exponent.
const FIVES: (u32, u32) = (1_220_703_125, 13);
/// The largest power of ten that fits a limb, and its exponent.
const TENS: (u32, usize) = (1_000_000_000, 9);

/// A natural number of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Natural {
    limbs: Vec<u32>,
}

impl Natural {
    pub(crate) fn from_u64(value: u64) -> Natural {
        let mut number = Natural {
            limbs: vec![value as u32, (value >> 32) as u32],
        };
        number.trim();
        number
    }

    /// Reads ASCII decimal digits; other bytes must not occur.
    pub(crate) fn from_decimal(digits: &[u8]) -> Natural {
        let mut number = Natural { limbs: Vec::new() };
        for chunk in digits.chunks(TENS.1) {
            let scale = 10u32.pow(chunk.len() as u32);
            let value = chunk
                .iter()
                .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
            number.multiply_add(scale, value);
        }
        number
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    pub(crate) fn bit_length(&self) -> u64 {
        match self.limbs.last() {
            None => 0,
            Some(top) => self.limbs.len() as u64 * 32 - u64::from(top.leading_zeros()),
        }
    }

    fn trim(&mut self) {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }

    /// `self × factor + summand`.
    pub(crate) fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.limbs {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry != 0 {
            self.limbs.push(carry as u32);
        }
        self.trim();
    }

    pub(crate) fn multiply_power_of_five(&mut self, mut exponent: u32) {
        while exponent >= FIVES.1 {
            self.multiply_add(FIVES.0, 0);
            exponent -= FIVES.1;
        }
        self.multiply_add(5u32.pow(exponent), 0);
    }

    pub(crate) fn shift_left(&mut self, bits: u64) {
        if self.is_zero() {
            return;
        }
        let small = (bits % 32) as u32;
        if small != 0 {
            self.multiply_add(1 << small, 0);
        }
        let whole = (bits / 32) as usize;
        self.limbs.splice(0..0, std::iter::repeat_n(0, whole));
    }

    /// The quotient by `divisor` replaces the number; the remainder is returned.
    fn divide_small(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0u64;
        for limb in self.limbs.iter_mut().rev() {
            let part = (remainder << 32) | u64::from(*limb);
            *limb = (part / u64::from(divisor)) as u32;
            remainder = part % u64::from(divisor);
        }
        self.trim();
        remainder as u32
    }

    /// ASCII decimal digits without leading zeros; empty for zero.
    pub(crate) fn into_decimal(mut self) -> Vec<u8> {
        let mut reversed = Vec::new();
        while !self.is_zero() {
            let mut part = self.divide_small(TENS.0);
            for _ in 0..TENS.1 {
                reversed.push(b'0' + (part % 10) as u8);
                part /= 10;
            }
        }
        while reversed.last() == Some(&b'0') {
            reversed.pop();
        }
        reversed.reverse();
        reversed
    }

    /// `self − other`, which must not be larger.
    pub(crate) fn subtract(&mut self, other: &Natural) {
        let mut borrow = 0i64;
        for (index, limb) in self.limbs.iter_mut().enumerate() {
            let right = i64::from(other.limbs.get(index).copied().unwrap_or(0));
            let mut difference = i64::from(*limb) - right - borrow;
            borrow = i64::from(difference < 0);
            if difference < 0 {
                difference += 1 << 32;
            }
            *limb = difference as u32;
        }
        self.trim();
    }

    /// The quotient's `bits` leading bits of `self / divisor`, the power of two they are to be scaled
    /// with, and whether the quotient has anything below them.
    ///
    /// Neither number may be zero and `bits` is at most 127. The leading bits have their top bit set.
    pub(crate) fn leading_quotient(&self, divisor: &Natural, bits: u32) -> (u128, i64, bool) {
        let mut numerator = self.clone();
        let mut denominator = divisor.clone();
        let mut scale = numerator.bit_length() as i64 - denominator.bit_length() as i64;
        if scale > 0 {
            denominator.shift_left(scale as u64);
        } else {
            numerator.shift_left(scale.unsigned_abs());
        }
        if numerator.compare(&denominator) == Ordering::Less {
            numerator.shift_left(1);
            scale -= 1;
        }
        let mut quotient = 0u128;
        for step in 0..bits {
            if step > 0 {
                numerator.shift_left(1);
            }
            quotient <<= 1;
            if numerator.compare(&denominator) != Ordering::Less {
                numerator.subtract(&denominator);
                quotient |= 1;
            }
        }
        (quotient, scale - i64::from(bits) + 1, !numerator.is_zero())
    }

    pub(crate) fn compare(&self, other: &Natural) -> Ordering {
        self.limbs
            .len()
            .cmp(&other.limbs.len())
            .then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::Natural;

    #[test]
    fn decimal_text_survives_the_round_trip() {
        for text in [
            "",
            "1",
            "10",
            "999999999",
            "1000000000",
            "340282366920938463463374607431768211456",
        ] {
            assert_eq!(
                Natural::from_decimal(text.as_bytes()).into_decimal(),
                text.as_bytes()
            );
        }
    }

    #[test]
    fn powers_of_five_and_two_make_a_power_of_ten() {
        let mut number = Natural::from_u64(1);
        number.multiply_power_of_five(100);
        number.shift_left(100);
        let mut expected = vec![b'1'];
        expected.extend([b'0'; 100]);
        assert_eq!(number.into_decimal(), expected);
    }

    #[test]
    fn leading_quotient_agrees_with_machine_division() {
        for (left, right) in [
            (1u64, 3u64),
            (7, 2),
            (1 << 60, 3),
            (12345678901234, 97),
            (5, 5),
            (1, u64::MAX),
        ] {
            let (quotient, scale, inexact) =
                Natural::from_u64(left).leading_quotient(&Natural::from_u64(right), 60);
            let expected = left as f64 / right as f64;
            let found = quotient as f64 * 2f64.powi(scale as i32);
            assert!(
                (found - expected).abs() <= expected * 1e-15,
                "{left}/{right}: {found}"
            );
            assert_eq!(quotient >> 59, 1);
            assert!(inexact || left % right == 0 || right.is_power_of_two());
        }
    }
}

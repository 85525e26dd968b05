//! Where a comparison turns: values of an unknown at which both sides are equal, and next to them.

use super::comparisons::inverse;
use super::{Operator, Sort, TermId, Terms, mask, signed};

impl Terms {
    /// Values of 64 bits for a symbol of 64 bits, in a comparison of sums in which it, or its low
    /// bits, stand once. Nothing is claimed of them but that they are worth a look.
    pub fn roots(&mut self, comparison: TermId, unknown: TermId) -> Vec<TermId> {
        let row = match self.get(comparison).operator {
            Operator::Not => self.get(self.get(comparison).arguments[0]).clone(),
            _ => self.get(comparison).clone(),
        };
        let is_comparison = matches!(
            row.operator,
            Operator::Equal | Operator::UnsignedLess | Operator::SignedLess
        );
        if !is_comparison {
            return Vec::new();
        }
        let (left, right) = (row.arguments[0], row.arguments[1]);
        let Sort::Bits(width) = self.sort(left) else {
            return Vec::new();
        };
        if width > 64 {
            return Vec::new();
        }
        let low = self.truncate(unknown, width);
        let difference = self.subtract(left, right);
        let sum = self.as_sum(difference);
        let Some((_, factor)) = sum.parts.iter().find(|part| part.0 == low).copied() else {
            return Vec::new();
        };
        let own = self.scale(low, factor);
        let rest = self.subtract(difference, own);
        if self.mentions(rest, &[unknown]) {
            return Vec::new();
        }
        let opposite = self.scale(rest, mask(width));
        let root = match factor % 2 {
            1 => self.scale(opposite, inverse(factor)),
            _ => {
                let is_negative = signed(width, factor) < 0;
                let (of, size) = match is_negative {
                    true => (rest, factor.wrapping_neg() & mask(width)),
                    false => (opposite, factor),
                };
                if !size.is_power_of_two() {
                    return Vec::new();
                }
                let by = self.bits(width, u128::from(size.trailing_zeros()));
                self.logical_shift_right(of, by)
            }
        };
        let one = self.bits(width, 1);
        let next = self.add(root, one);
        [root, next]
            .into_iter()
            .map(|root| self.zero_extend(root, 64))
            .collect()
    }
}

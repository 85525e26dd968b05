//! Equality and order. `a = b` is kept as `a − b = 0` with one scaling, since adding a term to both
//! sides and multiplying with an odd number change nothing modulo a power of two.

use super::sums::Sum;
use super::{Operator, Sort, TermId, Terms, mask, signed};

impl Terms {
    pub fn equal(&mut self, left: TermId, right: TermId) -> TermId {
        if left == right {
            return self.boolean(true);
        }
        match self.sort(left) {
            Sort::Boolean => self.equal_booleans(left, right),
            Sort::Bits(width) => self.equal_bits(width, left, right),
            Sort::Memory => {
                let (low, high) = (left.min(right), left.max(right));
                self.intern(Operator::Equal, Sort::Boolean, [low, high])
            }
        }
    }

    fn equal_booleans(&mut self, left: TermId, right: TermId) -> TermId {
        for (one, other) in [(left, right), (right, left)] {
            if let Some(value) = self.as_boolean(one) {
                return match value {
                    true => other,
                    false => self.not(other),
                };
            }
            if self.get(one).operator == Operator::Not {
                let inner = self.get(one).arguments[0];
                let equal = self.equal_booleans(inner, other);
                return self.not(equal);
            }
        }
        if left == right {
            return self.boolean(true);
        }
        let (low, high) = (left.min(right), left.max(right));
        self.intern(Operator::Equal, Sort::Boolean, [low, high])
    }

    fn equal_bits(&mut self, width: u32, left: TermId, right: TermId) -> TermId {
        for (one, other) in [(left, right), (right, left)] {
            if let Some(value) = self.as_bits(other)
                && let Some(found) = self.equal_to_constant(width, one, value)
            {
                return found;
            }
        }
        let extension = |terms: &Terms, term: TermId| {
            let row = terms.get(term);
            matches!(row.operator, Operator::ZeroExtend | Operator::SignExtend)
                .then(|| (row.operator.clone(), row.arguments[0]))
        };
        if let (Some((how, inner)), Some((also, other))) =
            (extension(self, left), extension(self, right))
            && how == also
            && self.width(inner) == self.width(other)
        {
            return self.equal(inner, other);
        }
        let difference =
            Terms::combined(width, &self.as_sum(left), &self.as_sum(right), mask(width));
        if difference.parts.is_empty() {
            return self.boolean(difference.constant == 0);
        }
        let odd = difference.parts.iter().find(|part| part.1 % 2 == 1);
        let factor = match odd {
            Some((_, coefficient)) => inverse(*coefficient),
            // One of the two signs.
            None if signed(width, difference.parts[0].1) < 0 => mask(width),
            None => 1,
        };
        let difference = Terms::combined(width, &Sum::default(), &difference, factor);
        let constant = self.bits(width, difference.constant.wrapping_neg());
        let unknown = self.of_sum(
            width,
            Sum {
                constant: 0,
                parts: difference.parts,
            },
        );
        if (unknown, constant) != (left, right)
            && let Some(value) = self.as_bits(constant)
            && let Some(found) = self.equal_to_constant(width, unknown, value)
        {
            return found;
        }
        self.intern(Operator::Equal, Sort::Boolean, [unknown, constant])
    }

    fn equal_to_constant(&mut self, width: u32, term: TermId, value: u128) -> Option<TermId> {
        let row = self.get(term).clone();
        match row.operator {
            Operator::IfThenElse => {
                let [condition, left, right] = row.arguments[..] else {
                    return None;
                };
                let is_constant = |id: TermId| self.as_bits(id).is_some();
                if !is_constant(left) && !is_constant(right) {
                    return None;
                }
                let constant = self.bits(width, value);
                let left = self.equal(left, constant);
                let right = self.equal(right, constant);
                Some(self.if_then_else(condition, left, right))
            }
            Operator::ZeroExtend => {
                let inner = row.arguments[0];
                let narrow = self.width(inner);
                if value & !mask(narrow) != 0 {
                    return Some(self.boolean(false));
                }
                let constant = self.bits(narrow, value);
                Some(self.equal(inner, constant))
            }
            Operator::SignExtend => {
                let inner = row.arguments[0];
                let narrow = self.width(inner);
                if signed(narrow, value) != signed(width, value) {
                    return Some(self.boolean(false));
                }
                let constant = self.bits(narrow, value);
                Some(self.equal(inner, constant))
            }
            _ => None,
        }
    }

    pub fn unsigned_less(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        if left == right {
            return self.boolean(false);
        }
        match (self.as_bits(left), self.as_bits(right)) {
            (Some(left), Some(right)) => return self.boolean(left < right),
            (_, Some(0)) => return self.boolean(false),
            (Some(value), _) if value == mask(width) => return self.boolean(false),
            (_, Some(1)) => {
                let zero = self.bits(width, 0);
                return self.equal(left, zero);
            }
            (Some(0), _) => {
                let zero = self.bits(width, 0);
                let equal = self.equal(right, zero);
                return self.not(equal);
            }
            _ => {}
        }
        if let Some((inner, other)) = self.narrowed(left, right, Operator::ZeroExtend) {
            return self.unsigned_less(inner, other);
        }
        self.intern(Operator::UnsignedLess, Sort::Boolean, [left, right])
    }

    pub fn signed_less(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        if left == right {
            return self.boolean(false);
        }
        let least = 1 << (width - 1);
        let greatest = mask(width) >> 1;
        match (self.as_bits(left), self.as_bits(right)) {
            (Some(left), Some(right)) => {
                return self.boolean(signed(width, left) < signed(width, right));
            }
            (_, Some(value)) if value == least => return self.boolean(false),
            (Some(value), _) if value == greatest => return self.boolean(false),
            _ => {}
        }
        // What was extended with zeros is not negative.
        if let Some((inner, other)) = self.narrowed(left, right, Operator::ZeroExtend) {
            return self.unsigned_less(inner, other);
        }
        if let Some((inner, other)) = self.narrowed(left, right, Operator::SignExtend) {
            return self.signed_less(inner, other);
        }
        let is_zero_extended =
            |terms: &Terms, id: TermId| terms.get(id).operator == Operator::ZeroExtend;
        if is_zero_extended(self, left)
            && self
                .as_bits(right)
                .is_some_and(|value| signed(width, value) <= 0)
        {
            return self.boolean(false);
        }
        if is_zero_extended(self, right)
            && self
                .as_bits(left)
                .is_some_and(|value| signed(width, value) < 0)
        {
            return self.boolean(true);
        }
        self.intern(Operator::SignedLess, Sort::Boolean, [left, right])
    }

    pub fn unsigned_less_or_equal(&mut self, left: TermId, right: TermId) -> TermId {
        let greater = self.unsigned_less(right, left);
        self.not(greater)
    }

    pub fn signed_less_or_equal(&mut self, left: TermId, right: TermId) -> TermId {
        let greater = self.signed_less(right, left);
        self.not(greater)
    }

    /// Both sides before an extension that keeps the order, if the other side is extended from the
    /// same width or a constant that fits there.
    fn narrowed(&mut self, left: TermId, right: TermId, how: Operator) -> Option<(TermId, TermId)> {
        let inner = |terms: &Terms, id: TermId| {
            let row = terms.get(id);
            (row.operator == how).then(|| row.arguments[0])
        };
        let wide = self.width(left);
        let fits = |terms: &mut Terms, id: TermId, narrow: u32| {
            let value = terms.as_bits(id)?;
            let is_kept = match how {
                Operator::ZeroExtend => value & !mask(narrow) == 0,
                _ => signed(narrow, value) == signed(wide, value),
            };
            is_kept.then(|| terms.bits(narrow, value))
        };
        match (inner(self, left), inner(self, right)) {
            (Some(left), Some(right)) if self.width(left) == self.width(right) => {
                Some((left, right))
            }
            (Some(inner), None) => {
                let narrow = self.width(inner);
                Some((inner, fits(self, right, narrow)?))
            }
            (None, Some(inner)) => {
                let narrow = self.width(inner);
                Some((fits(self, left, narrow)?, inner))
            }
            _ => None,
        }
    }
}

/// The inverse of an odd number modulo every power of two up to 2^128, by Newton's iteration.
pub(super) fn inverse(odd: u128) -> u128 {
    let mut found: u128 = odd;
    for _ in 0..7 {
        let error = 2u128.wrapping_sub(odd.wrapping_mul(found));
        found = found.wrapping_mul(error);
    }
    found
}

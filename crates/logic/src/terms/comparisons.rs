//! Equality and order. `a = b` is kept as `a − b = 0` with one scaling, since adding a term to both
//! sides and multiplying with an odd number change nothing modulo a power of two. A choice that is
//! compared with a constant is a choice of comparisons where one of them is decided, and a quotient
//! that is compared with a constant is a comparison of what was divided.

use super::sums::Sum;
use super::{Operator, Sort, TermId, Terms, mask, signed};

impl Terms {
    pub fn equal(&mut self, left: TermId, right: TermId) -> TermId {
        if left == right {
            return self.boolean(true);
        }
        if let Some(found) = self.equal_choices(left, right) {
            return found;
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

    /// Two choices on one condition are equal if what is chosen is, either way. Both may choose from
    /// the same again and again, so each two are compared once.
    fn equal_choices(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        let (first, second) = (self.get(left), self.get(right));
        if first.operator != Operator::IfThenElse
            || second.operator != Operator::IfThenElse
            || first.arguments[0] != second.arguments[0]
        {
            return None;
        }
        if let Some(known) = self.equal_choices.get(&(left, right)) {
            return Some(*known);
        }
        let condition = first.arguments[0];
        let then = (first.arguments[1], second.arguments[1]);
        let otherwise = (first.arguments[2], second.arguments[2]);
        let then = self.equal(then.0, then.1);
        let otherwise = self.equal(otherwise.0, otherwise.1);
        let equal = self.if_then_else(condition, then, otherwise);
        self.equal_choices.insert((left, right), equal);
        Some(equal)
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
            // q·b ≤ a < (q + 1)·b
            Operator::UnsignedDivide => {
                let (divided, by) = self.divided_by_constant(term)?;
                let below = self.is_below_product(divided, by, value);
                let next = self.is_below_product(divided, by, value.saturating_add(1));
                let reached = self.not(below);
                Some(self.and([reached, next]))
            }
            _ => None,
        }
    }

    /// What is divided, and by which constant; a quotient by 0 is none.
    fn divided_by_constant(&self, quotient: TermId) -> Option<(TermId, u128)> {
        let row = self.get(quotient);
        if row.operator != Operator::UnsignedDivide {
            return None;
        }
        let by = self.as_bits(row.arguments[1]).filter(|by| *by != 0)?;
        Some((row.arguments[0], by))
    }

    /// `term < by · times`, as numbers; all of 128 bits at most, `by` not 0.
    fn is_below_product(&mut self, term: TermId, by: u128, times: u128) -> TermId {
        let width = self.width(term);
        match by.checked_mul(times) {
            Some(limit) if limit <= mask(width) => {
                let limit = self.bits(width, limit);
                self.unsigned_less(term, limit)
            }
            _ => self.boolean(true),
        }
    }

    /// A choice of which one branch is a constant, compared with a constant: `compare` for each
    /// branch.
    fn compared_choice(
        &mut self,
        choice: TermId,
        other: TermId,
        compare: impl Fn(&mut Terms, TermId) -> TermId,
    ) -> Option<TermId> {
        self.as_bits(other)?;
        let row = self.get(choice);
        if row.operator != Operator::IfThenElse {
            return None;
        }
        let [condition, left, right] = row.arguments[..] else {
            return None;
        };
        if self.as_bits(left).is_none() && self.as_bits(right).is_none() {
            return None;
        }
        let left = compare(self, left);
        let right = compare(self, right);
        Some(self.if_then_else(condition, left, right))
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
        let first =
            self.compared_choice(left, right, |terms, left| terms.unsigned_less(left, right));
        let second =
            self.compared_choice(right, left, |terms, right| terms.unsigned_less(left, right));
        if let Some(found) = first.or(second) {
            return found;
        }
        // a / b < q is a < q·b
        if let (Some((divided, by)), Some(limit)) =
            (self.divided_by_constant(left), self.as_bits(right))
        {
            return self.is_below_product(divided, by, limit);
        }
        if let (Some(limit), Some((divided, by))) =
            (self.as_bits(left), self.divided_by_constant(right))
        {
            let below = self.is_below_product(divided, by, limit.saturating_add(1));
            return self.not(below);
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
        let first = self.compared_choice(left, right, |terms, left| terms.signed_less(left, right));
        let second =
            self.compared_choice(right, left, |terms, right| terms.signed_less(left, right));
        if let Some(found) = first.or(second) {
            return found;
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

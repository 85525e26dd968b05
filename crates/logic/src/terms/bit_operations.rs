//! Operations on bits, shifts and divisions. Shifts by constants, and divisions by powers of two, are
//! products and extracted bits; the rest folds constants and trivial cases only.

use super::{Operator, Sort, TermId, Terms, mask, signed};

impl Terms {
    pub fn bit_not(&mut self, term: TermId) -> TermId {
        // −1 − x
        let width = self.width(term);
        let ones = self.bits(width, mask(width));
        self.subtract(ones, term)
    }

    pub fn bit_and(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        for (one, other) in [(left, right), (right, left)] {
            match self.as_bits(one) {
                Some(0) => return one,
                Some(value) if value == mask(width) => return other,
                Some(value) if self.as_bits(other).is_none() => {
                    // A run of ones from some bit on takes bits out.
                    let low = value.trailing_zeros();
                    let count = (value >> low).trailing_ones();
                    if value >> low == mask(count) {
                        let part = self.extract(other, low, count);
                        return self.placed(part, low, width);
                    }
                }
                _ => {}
            }
        }
        if left == right {
            return left;
        }
        self.bitwise(Operator::BitAnd, left, right, |left, right| left & right)
    }

    pub fn bit_or(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        for (one, other) in [(left, right), (right, left)] {
            match self.as_bits(one) {
                Some(0) => return other,
                Some(value) if value == mask(width) => return one,
                _ => {}
            }
        }
        if left == right {
            return left;
        }
        if self.may_be_one(left) & self.may_be_one(right) == 0 {
            return self.add(left, right);
        }
        self.bitwise(Operator::BitOr, left, right, |left, right| left | right)
    }

    pub fn bit_xor(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        for (one, other) in [(left, right), (right, left)] {
            match self.as_bits(one) {
                Some(0) => return other,
                Some(value) if value == mask(width) => return self.bit_not(other),
                _ => {}
            }
        }
        if left == right {
            return self.bits(width, 0);
        }
        self.bitwise(Operator::BitXor, left, right, |left, right| left ^ right)
    }

    fn bitwise(
        &mut self,
        operator: Operator,
        left: TermId,
        right: TermId,
        fold: impl Fn(u128, u128) -> u128,
    ) -> TermId {
        let width = self.width(left);
        if let (Some(left), Some(right)) = (self.as_bits(left), self.as_bits(right)) {
            return self.bits(width, fold(left, right));
        }
        let (low, high) = (left.min(right), left.max(right));
        self.intern(operator, Sort::Bits(width), [low, high])
    }

    /// The bits that are not 0 for sure, as far as a few steps inside tell.
    fn may_be_one(&self, term: TermId) -> u128 {
        self.may_be_one_within(term, 8)
    }

    fn may_be_one_within(&self, term: TermId, steps: u32) -> u128 {
        let row = self.get(term);
        let all = mask(self.width(term));
        if steps == 0 {
            return all;
        }
        let inside = |at: usize| self.may_be_one_within(row.arguments[at], steps - 1);
        match &row.operator {
            Operator::Bits(value) => *value,
            Operator::ZeroExtend => inside(0),
            Operator::Concatenate => {
                let below = self.width(row.arguments[1]);
                (inside(0) << below) | inside(1)
            }
            Operator::Sum {
                constant: 0,
                coefficients,
            } if row.arguments.len() == 1 && coefficients[0].is_power_of_two() => {
                (inside(0) << coefficients[0].trailing_zeros()) & all
            }
            Operator::IfThenElse => inside(1) | inside(2),
            _ => all,
        }
    }

    /// A part at some bit of a wider word of zeros.
    fn placed(&mut self, part: TermId, low: u32, width: u32) -> TermId {
        let wide = self.zero_extend(part, width);
        match low {
            0 => wide,
            _ => self.scale(wide, 1 << low),
        }
    }

    /// Shifts by the width or more have no meaning here; whoever shifts says that it does not
    /// happen.
    pub fn shift_left(&mut self, term: TermId, by: TermId) -> TermId {
        let width = self.width(term);
        match self.as_bits(by) {
            Some(by) if by < u128::from(width) => self.scale(term, 1 << by),
            _ => self.intern(Operator::ShiftLeft, Sort::Bits(width), [term, by]),
        }
    }

    pub fn logical_shift_right(&mut self, term: TermId, by: TermId) -> TermId {
        let width = self.width(term);
        match self.as_bits(by) {
            Some(0) => term,
            Some(by) if by < u128::from(width) => {
                let part = self.extract(term, by as u32, width - by as u32);
                self.zero_extend(part, width)
            }
            _ => self.intern(Operator::LogicalShiftRight, Sort::Bits(width), [term, by]),
        }
    }

    pub fn arithmetic_shift_right(&mut self, term: TermId, by: TermId) -> TermId {
        let width = self.width(term);
        match self.as_bits(by) {
            Some(0) => term,
            Some(by) if by < u128::from(width) => {
                let part = self.extract(term, by as u32, width - by as u32);
                self.sign_extend(part, width)
            }
            _ => self.intern(
                Operator::ArithmeticShiftRight,
                Sort::Bits(width),
                [term, by],
            ),
        }
    }

    /// Division by 0 gives what SMT-LIB says; whoever divides says that it does not happen.
    pub fn unsigned_divide(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        match (self.as_bits(left), self.as_bits(right)) {
            (Some(left), Some(right)) if right != 0 => self.bits(width, left / right),
            (_, Some(by)) if by.is_power_of_two() => {
                let shift = self.bits(width, u128::from(by.trailing_zeros()));
                self.logical_shift_right(left, shift)
            }
            // (a / b) / c is a / (b·c), and 0 if that is more than fits.
            (None, Some(by)) if by != 0 && self.get(left).operator == Operator::UnsignedDivide => {
                let row = self.get(left).clone();
                match self.as_bits(row.arguments[1]) {
                    Some(first) if first != 0 => match first.checked_mul(by) {
                        Some(product) if product <= mask(width) => {
                            let product = self.bits(width, product);
                            self.unsigned_divide(row.arguments[0], product)
                        }
                        _ => self.bits(width, 0),
                    },
                    _ => self.intern(Operator::UnsignedDivide, Sort::Bits(width), [left, right]),
                }
            }
            _ => self.intern(Operator::UnsignedDivide, Sort::Bits(width), [left, right]),
        }
    }

    pub fn unsigned_remainder(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        match (self.as_bits(left), self.as_bits(right)) {
            (Some(left), Some(right)) if right != 0 => self.bits(width, left % right),
            (_, Some(by)) if by.is_power_of_two() => {
                let low = self.bits(width, by - 1);
                self.bit_and(left, low)
            }
            _ => self.intern(
                Operator::UnsignedRemainder,
                Sort::Bits(width),
                [left, right],
            ),
        }
    }

    pub fn signed_divide(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        match (self.as_bits(left), self.as_bits(right)) {
            (_, Some(1)) if width > 1 => left,
            (Some(left), Some(right)) if right != 0 => {
                let quotient = signed(width, left).wrapping_div(signed(width, right));
                self.bits(width, quotient as u128)
            }
            // Towards 0: a shift, of a negative number and of what is added for that.
            (None, Some(by)) if by.is_power_of_two() && signed(width, by) > 0 => {
                let zero = self.bits(width, 0);
                let is_negative = self.signed_less(left, zero);
                let below = self.bits(width, by - 1);
                let more = self.if_then_else(is_negative, below, zero);
                let sum = self.add(left, more);
                let shift = self.bits(width, u128::from(by.trailing_zeros()));
                self.arithmetic_shift_right(sum, shift)
            }
            _ => self.intern(Operator::SignedDivide, Sort::Bits(width), [left, right]),
        }
    }

    pub fn signed_remainder(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        match (self.as_bits(left), self.as_bits(right)) {
            (_, Some(1)) if width > 1 => self.bits(width, 0),
            (Some(left), Some(right)) if right != 0 => {
                let rest = signed(width, left).wrapping_rem(signed(width, right));
                self.bits(width, rest as u128)
            }
            _ => self.intern(Operator::SignedRemainder, Sort::Bits(width), [left, right]),
        }
    }
}

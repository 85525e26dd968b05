//! Bits taken out, put together and extended. Taking out low bits goes inside whatever computes
//! modulo powers of two, so that narrow arithmetic has one form whether it was done wide or narrow.

use super::sums::Sum;
use super::{Operator, Sort, TermId, Terms, mask, signed};

impl Terms {
    /// `width` bits from `low` on.
    pub fn extract(&mut self, term: TermId, low: u32, width: u32) -> TermId {
        let wide = self.width(term);
        if low == 0 && width == wide {
            return term;
        }
        if let Some(known) = self.extracts.get(&(term, low, width)) {
            return *known;
        }
        let found = self.extract_inside(term, low, width);
        self.extracts.insert((term, low, width), found);
        found
    }

    fn extract_inside(&mut self, term: TermId, low: u32, width: u32) -> TermId {
        let row = self.get(term).clone();
        let arguments = &row.arguments;
        match row.operator {
            Operator::Bits(value) => return self.bits(width, value >> low),
            Operator::Extract { low: before } => {
                return self.extract(arguments[0], before + low, width);
            }
            Operator::ZeroExtend | Operator::SignExtend => {
                let inner = arguments[0];
                let narrow = self.width(inner);
                if low + width <= narrow {
                    return self.extract(inner, low, width);
                }
                if row.operator == Operator::ZeroExtend && low >= narrow {
                    return self.bits(width, 0);
                }
                if low < narrow {
                    let part = self.extract(inner, low, narrow - low);
                    return match row.operator {
                        Operator::ZeroExtend => self.zero_extend(part, width),
                        _ => self.sign_extend(part, width),
                    };
                }
            }
            Operator::Concatenate => {
                let (high, below) = (arguments[0], arguments[1]);
                let border = self.width(below);
                if low + width <= border {
                    return self.extract(below, low, width);
                }
                if low >= border {
                    return self.extract(high, low - border, width);
                }
                let first = self.extract(high, 0, low + width - border);
                let second = self.extract(below, low, border - low);
                return self.concatenate(first, second);
            }
            Operator::IfThenElse => {
                let (left, right) = (arguments[1], arguments[2]);
                let left = self.extract(left, low, width);
                let right = self.extract(right, low, width);
                return self.if_then_else(arguments[0], left, right);
            }
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
                let left = self.extract(arguments[0], low, width);
                let right = self.extract(arguments[1], low, width);
                return match row.operator {
                    Operator::BitAnd => self.bit_and(left, right),
                    Operator::BitOr => self.bit_or(left, right),
                    _ => self.bit_xor(left, right),
                };
            }
            Operator::Sum {
                constant,
                ref coefficients,
            } if low == 0 => {
                let mut sum = Sum {
                    constant: constant & mask(width),
                    parts: Vec::new(),
                };
                for (argument, coefficient) in arguments.iter().zip(coefficients.iter()) {
                    let narrow = self.extract(*argument, 0, width);
                    sum = Terms::combined(width, &sum, &self.as_sum(narrow), *coefficient);
                }
                return self.of_sum(width, sum);
            }
            Operator::Multiply if low == 0 => {
                let left = self.extract(arguments[0], 0, width);
                let right = self.extract(arguments[1], 0, width);
                return self.multiply(left, right);
            }
            _ => {}
        }
        self.intern(Operator::Extract { low }, Sort::Bits(width), [term])
    }

    pub fn truncate(&mut self, term: TermId, width: u32) -> TermId {
        self.extract(term, 0, width)
    }

    pub fn concatenate(&mut self, high: TermId, low: TermId) -> TermId {
        let (above, below) = (self.width(high), self.width(low));
        let width = above + below;
        match (self.as_bits(high), self.as_bits(low)) {
            (Some(high), Some(low)) => return self.bits(width, (high << below) | low),
            (Some(0), None) => return self.zero_extend(low, width),
            _ => {}
        }
        // Neighbouring parts of one term.
        let part = |terms: &Terms, id: TermId| match terms.get(id).operator {
            Operator::Extract { low } => (terms.get(id).arguments[0], low),
            _ => (id, 0),
        };
        let (first, from) = part(self, high);
        let (second, at) = part(self, low);
        if first == second && from == at + below {
            return self.extract(first, at, width);
        }
        self.intern(Operator::Concatenate, Sort::Bits(width), [high, low])
    }

    pub fn zero_extend(&mut self, term: TermId, width: u32) -> TermId {
        if self.width(term) == width {
            return term;
        }
        let row = self.get(term).clone();
        match row.operator {
            Operator::Bits(value) => self.bits(width, value),
            Operator::ZeroExtend => self.zero_extend(row.arguments[0], width),
            Operator::IfThenElse if self.has_constant_branch(term) => {
                let left = self.zero_extend(row.arguments[1], width);
                let right = self.zero_extend(row.arguments[2], width);
                self.if_then_else(row.arguments[0], left, right)
            }
            _ => self.intern(Operator::ZeroExtend, Sort::Bits(width), [term]),
        }
    }

    pub fn sign_extend(&mut self, term: TermId, width: u32) -> TermId {
        let narrow = self.width(term);
        if narrow == width {
            return term;
        }
        if let Some(wide) = self.exact.get(&term).copied()
            && width <= self.width(wide)
        {
            return self.truncate(wide, width);
        }
        let row = self.get(term).clone();
        match row.operator {
            Operator::Bits(value) => self.bits(width, signed(narrow, value) as u128),
            Operator::SignExtend => self.sign_extend(row.arguments[0], width),
            Operator::ZeroExtend => self.zero_extend(row.arguments[0], width),
            Operator::IfThenElse if self.has_constant_branch(term) => {
                let left = self.sign_extend(row.arguments[1], width);
                let right = self.sign_extend(row.arguments[2], width);
                self.if_then_else(row.arguments[0], left, right)
            }
            _ => self.intern(Operator::SignExtend, Sort::Bits(width), [term]),
        }
    }

    fn has_constant_branch(&self, choice: TermId) -> bool {
        let branches = self.get(choice).arguments[1..].iter();
        branches
            .clone()
            .any(|branch| self.as_bits(*branch).is_some())
    }

    /// A Boolean as a number of this width.
    pub fn number_of(&mut self, condition: TermId, width: u32) -> TermId {
        let one = self.bits(width, 1);
        let zero = self.bits(width, 0);
        self.if_then_else(condition, one, zero)
    }
}

//! Linear arithmetic modulo a power of two: additions, subtractions and products with constants are
//! one sorted sum, so that terms which are equal by the laws of a ring without products of
//! unknowns are the same term.

use super::{Operator, Sort, TermId, Terms, mask, signed};

/// `constant + Σ coefficient · term`.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub constant: u128,
    /// By term, ascending, coefficients not 0.
    pub parts: Vec<(TermId, u128)>,
}

impl Terms {
    pub(super) fn as_sum(&self, term: TermId) -> Sum {
        let row = self.get(term);
        match &row.operator {
            Operator::Bits(value) => Sum {
                constant: *value,
                parts: Vec::new(),
            },
            Operator::Sum {
                constant,
                coefficients,
            } => Sum {
                constant: *constant,
                parts: row
                    .arguments
                    .iter()
                    .copied()
                    .zip(coefficients.iter().copied())
                    .collect(),
            },
            _ => Sum {
                constant: 0,
                parts: vec![(term, 1)],
            },
        }
    }

    pub(super) fn of_sum(&mut self, width: u32, sum: Sum) -> TermId {
        let constant = sum.constant & mask(width);
        match sum.parts[..] {
            [] => return self.bits(width, constant),
            [(only, 1)] if constant == 0 => return only,
            _ => {}
        }
        let coefficients = sum.parts.iter().map(|part| part.1).collect();
        let operator = Operator::Sum {
            constant,
            coefficients,
        };
        let terms = sum.parts.iter().map(|part| part.0);
        self.intern(operator, Sort::Bits(width), terms)
    }

    /// `left + factor · right`.
    pub(super) fn combined(width: u32, left: &Sum, right: &Sum, factor: u128) -> Sum {
        let mask = mask(width);
        let mut parts: Vec<(TermId, u128)> =
            Vec::with_capacity(left.parts.len() + right.parts.len());
        let mut rows = left.parts.iter().copied().peekable();
        let mut others = right
            .parts
            .iter()
            .map(|(term, coefficient)| (*term, coefficient.wrapping_mul(factor) & mask))
            .peekable();
        loop {
            let next = match (rows.peek(), others.peek()) {
                (None, None) => break,
                (Some(row), Some(other)) if row.0 == other.0 => {
                    let sum = (row.0, row.1.wrapping_add(other.1) & mask);
                    rows.next();
                    others.next();
                    Some(sum)
                }
                (Some(row), Some(other)) if row.0 > other.0 => others.next(),
                (None, Some(_)) => others.next(),
                (Some(_), _) => rows.next(),
            };
            parts.extend(next.filter(|part| part.1 != 0));
        }
        Sum {
            constant: left
                .constant
                .wrapping_add(right.constant.wrapping_mul(factor))
                & mask,
            parts,
        }
    }

    pub fn add(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        let sum = Terms::combined(width, &self.as_sum(left), &self.as_sum(right), 1);
        self.of_sum(width, sum)
    }

    pub fn subtract(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        let sum = Terms::combined(width, &self.as_sum(left), &self.as_sum(right), mask(width));
        self.of_sum(width, sum)
    }

    pub fn scale(&mut self, term: TermId, factor: u128) -> TermId {
        let width = self.width(term);
        let sum = Terms::combined(width, &Sum::default(), &self.as_sum(term), factor);
        self.of_sum(width, sum)
    }

    pub fn multiply(&mut self, left: TermId, right: TermId) -> TermId {
        if let Some(factor) = self.as_bits(left) {
            return self.scale(right, factor);
        }
        if let Some(factor) = self.as_bits(right) {
            return self.scale(left, factor);
        }
        // A constant factor of either side stands outside.
        let width = self.width(left);
        let single = |sum: &Sum| match sum.parts[..] {
            [(term, coefficient)] if sum.constant == 0 && coefficient != 1 => {
                Some((term, coefficient))
            }
            _ => None,
        };
        let (first, second) = (self.as_sum(left), self.as_sum(right));
        if let Some((term, coefficient)) = single(&first) {
            let product = self.multiply(term, right);
            return self.scale(product, coefficient);
        }
        if let Some((term, coefficient)) = single(&second) {
            let product = self.multiply(left, term);
            return self.scale(product, coefficient);
        }
        // Of a difference and its opposite one is chosen.
        for (sum, term, other) in [(&first, left, right), (&second, right, left)] {
            let leading = sum.parts.first().map_or(0, |part| part.1);
            let is_negative =
                sum.parts.len() > 1 && signed(width, leading) < 0 && leading != 1 << (width - 1);
            if is_negative {
                let opposite = self.scale(term, mask(width));
                let product = self.multiply(opposite, other);
                return self.scale(product, mask(width));
            }
        }
        let (low, high) = (left.min(right), left.max(right));
        self.intern(Operator::Multiply, Sort::Bits(width), [low, high])
    }

    /// A term without the constant that is added in it, and that constant, signed.
    pub fn without_constant(&mut self, term: TermId) -> (TermId, i128) {
        let width = self.width(term);
        let mut sum = self.as_sum(term);
        let constant = signed(width, std::mem::take(&mut sum.constant));
        (self.of_sum(width, sum), constant)
    }

    /// The difference, if it is a constant.
    pub fn constant_difference(&self, left: TermId, right: TermId) -> Option<u128> {
        let width = self.width(left);
        let difference =
            Terms::combined(width, &self.as_sum(left), &self.as_sum(right), mask(width));
        difference.parts.is_empty().then_some(difference.constant)
    }
}

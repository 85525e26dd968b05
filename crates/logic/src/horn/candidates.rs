//! A formula about integers as terms over bit vectors.
//!
//! **Rules.** Each conjunct is a candidate of its own. An inequality is compared in a width in which
//! nothing overflows, or in that of its parameters where it only compares one with another or
//! with a constant. An equality, also one that is told as two inequalities, is told modulo two powers of two: in the
//! narrowest width of its parameters, which is kept when sums wrap around, and in the widest.
//!
//! **Soundness.** None is needed, see [`crate::horn`].

use super::answer::{Formula, Linear, conjuncts};
use super::{Clauses, PREDICATE};
use crate::integers::value_of_bits;
use crate::terms::{Sort, TermId, Terms, mask};
use rustc_hash::FxHashSet;

/// So many candidates of each kind are taken.
const MOST: usize = 12;

/// What an answer proposes: terms over the parameters of the clauses, and constants.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// These mostly do without the others.
    pub equalities: Vec<Equality>,
    pub others: Vec<TermId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equality {
    pub holds: TermId,
    /// A symbol, and what it is, where the equality can be solved for one.
    pub solved: Option<(TermId, TermId)>,
}

pub fn candidates(terms: &mut Terms, clauses: &Clauses, answer: &str) -> Candidates {
    let parameters = clauses.parameters.iter();
    let are_booleans: Vec<bool> = parameters
        .map(|row| terms.sort(row.0) == Sort::Boolean)
        .collect();
    let mut parts = Vec::new();
    for part in conjuncts(answer, PREDICATE, &are_booleans) {
        add_parts(part, true, &mut parts);
    }
    let mut equalities: Vec<Linear> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        match part {
            Formula::IsZero(sum) => equalities.push(sum.clone()),
            Formula::AtMostZero(sum) => {
                let opposite = sum.negated().map(Formula::AtMostZero);
                if opposite.is_some_and(|opposite| parts[..at].contains(&opposite)) {
                    equalities.push(sum.clone());
                }
            }
            _ => {}
        }
    }
    let mut back = Back { terms, clauses };
    let mut found = Candidates::default();
    for sum in &equalities {
        let widths = back.widths(sum);
        let ends = [widths.iter().min(), widths.iter().max()];
        for width in ends.into_iter().flatten() {
            let holds = back.is_zero(sum, *width);
            let solved = back.solved(sum, *width);
            found.equalities.push(Equality { holds, solved });
        }
    }
    found
        .others
        .extend(parts.iter().filter_map(|part| back.term(part)));
    let mut seen = FxHashSet::default();
    let mut is_new = |id: TermId| terms.as_boolean(id).is_none() && seen.insert(id);
    found.equalities.retain(|row| is_new(row.holds));
    found.others.retain(|id| is_new(*id));
    found.equalities.truncate(MOST);
    found.others.truncate(MOST);
    found
}

/// Conjuncts without negations of what is not a parameter or an equality, in least terms.
fn add_parts(formula: Formula, is_true: bool, found: &mut Vec<Formula>) {
    match (formula, is_true) {
        (Formula::And(parts), true) => {
            parts
                .into_iter()
                .for_each(|part| add_parts(part, true, found));
        }
        (Formula::Or(parts), false) => {
            parts
                .into_iter()
                .for_each(|part| add_parts(part, false, found));
        }
        (Formula::Not(inner), _) => add_parts(*inner, !is_true, found),
        (Formula::AtMostZero(sum), true) => found.extend(reduced(&sum).map(Formula::AtMostZero)),
        (Formula::AtMostZero(sum), false) => {
            // 1 − sum ≤ 0
            let one = Linear {
                constant: 1,
                ..Linear::default()
            };
            let opposite = one.plus(&sum, -1).and_then(|sum| reduced(&sum));
            found.extend(opposite.map(Formula::AtMostZero));
        }
        (other, true) => found.push(other),
        (other, false) => found.push(Formula::Not(Box::new(other))),
    }
}

/// The same inequality with the least coefficients.
fn reduced(sum: &Linear) -> Option<Linear> {
    let divisor = sum.parts.values().fold(0, |found, coefficient| {
        greatest_divisor(found, coefficient.unsigned_abs())
    });
    let divisor = i128::try_from(divisor).ok().filter(|value| *value > 0)?;
    // Σ ≤ −constant, rounded down.
    let bound = sum.constant.checked_neg()?.div_euclid(divisor);
    let parts = sum.parts.iter();
    Some(Linear {
        constant: bound.checked_neg()?,
        parts: parts
            .map(|(parameter, coefficient)| (*parameter, coefficient / divisor))
            .collect(),
    })
}

fn greatest_divisor(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

struct Back<'a> {
    terms: &'a mut Terms,
    clauses: &'a Clauses,
}

impl Back<'_> {
    fn widths(&self, sum: &Linear) -> Vec<u32> {
        let parameters = sum.parts.keys();
        parameters
            .map(|number| self.terms.width(self.clauses.parameters[*number].0))
            .collect()
    }

    fn term(&mut self, formula: &Formula) -> Option<TermId> {
        Some(match formula {
            Formula::Truth(value) => self.terms.boolean(*value),
            Formula::Parameter(number) => self.clauses.parameters[*number].0,
            Formula::Not(inner) => {
                let inner = self.term(inner)?;
                self.terms.not(inner)
            }
            Formula::And(parts) => {
                let parts: Option<Vec<TermId>> = parts.iter().map(|part| self.term(part)).collect();
                self.terms.and(parts?)
            }
            Formula::Or(parts) => {
                let parts: Option<Vec<TermId>> = parts.iter().map(|part| self.term(part)).collect();
                self.terms.or(parts?)
            }
            Formula::IsZero(sum) => {
                let width = self.widths(sum).into_iter().max()?;
                self.is_zero(sum, width)
            }
            Formula::AtMostZero(sum) => self.is_at_most_zero(sum)?,
            Formula::Unreadable => return None,
        })
    }

    /// Modulo a power of two.
    fn is_zero(&mut self, sum: &Linear, width: u32) -> TermId {
        let total = self.sum(sum, width);
        let zero = self.terms.bits(width, 0);
        self.terms.equal(total, zero)
    }

    /// A sum that is 0, solved for a symbol of this width that occurs once.
    fn solved(&mut self, sum: &Linear, width: u32) -> Option<(TermId, TermId)> {
        let fits = |(number, coefficient): &(&usize, &i128)| {
            let term = self.clauses.parameters[**number].0;
            let is_symbol = self.terms.as_symbol(term).is_some();
            is_symbol && self.terms.width(term) == width && coefficient.unsigned_abs() == 1
        };
        let (number, coefficient) = sum.parts.iter().rev().find(fits)?;
        let mut rest = sum.clone();
        rest.parts.remove(number);
        let rest = self.sum(&rest, width);
        let value = self.terms.scale(rest, coefficient.wrapping_neg() as u128);
        Some((self.clauses.parameters[*number].0, value))
    }

    fn is_at_most_zero(&mut self, sum: &Linear) -> Option<TermId> {
        let simple = self.bounded(sum).or_else(|| self.compared(sum));
        if simple.is_some() {
            return simple;
        }
        let mut largest = sum.constant.unsigned_abs();
        for (number, coefficient) in &sum.parts {
            let width = self.terms.width(self.clauses.parameters[*number].0);
            let part = coefficient.unsigned_abs().checked_mul(1 << width)?;
            largest = largest.checked_add(part)?;
        }
        // With a sign.
        let width = 129 - largest.leading_zeros();
        if width > 128 {
            return None;
        }
        let total = self.sum(sum, width);
        let zero = self.terms.bits(width, 0);
        Some(self.terms.signed_less_or_equal(total, zero))
    }

    /// A parameter is at most a constant, or at least.
    fn bounded(&mut self, sum: &Linear) -> Option<TermId> {
        let mut parts = sum.parts.iter();
        let (Some((number, coefficient)), None) = (parts.next(), parts.next()) else {
            return None;
        };
        let (term, is_signed) = self.clauses.parameters[*number];
        let width = self.terms.width(term);
        let bound = match coefficient {
            1 => sum.constant.checked_neg()?,
            -1 => sum.constant,
            _ => return None,
        };
        let constant = self.terms.bits(width, bound as u128);
        if value_of_bits(width, is_signed, bound as u128 & mask(width)) != bound {
            return Some(self.terms.boolean(true));
        }
        let (less, more) = match coefficient {
            1 => (term, constant),
            _ => (constant, term),
        };
        Some(match is_signed {
            true => self.terms.signed_less_or_equal(less, more),
            false => self.terms.unsigned_less_or_equal(less, more),
        })
    }

    /// One parameter is less than another that is read alike, or not more.
    fn compared(&mut self, sum: &Linear) -> Option<TermId> {
        let mut parts = sum.parts.iter();
        let (first, second, none) = (parts.next()?, parts.next()?, parts.next());
        let (less, more) = match (first.1, second.1) {
            (1, -1) => (*first.0, *second.0),
            (-1, 1) => (*second.0, *first.0),
            _ => return None,
        };
        let (left, is_signed) = self.clauses.parameters[less];
        let (right, _) = self.clauses.parameters[more];
        if none.is_some() || self.terms.sort(left) != self.terms.sort(right) {
            return None;
        }
        match (sum.constant, is_signed) {
            (0, true) => Some(self.terms.signed_less_or_equal(left, right)),
            (0, false) => Some(self.terms.unsigned_less_or_equal(left, right)),
            (1, true) => Some(self.terms.signed_less(left, right)),
            (1, false) => Some(self.terms.unsigned_less(left, right)),
            _ => None,
        }
    }

    /// In a width, narrower parameters extended as they are read.
    fn sum(&mut self, sum: &Linear, width: u32) -> TermId {
        let mut total = self.terms.bits(width, sum.constant as u128);
        for (number, coefficient) in &sum.parts {
            let (term, is_signed) = self.clauses.parameters[*number];
            let term = match (self.terms.width(term) >= width, is_signed) {
                (true, _) => self.terms.truncate(term, width),
                (false, true) => self.terms.sign_extend(term, width),
                (false, false) => self.terms.zero_extend(term, width),
            };
            let scaled = self.terms.scale(term, *coefficient as u128);
            total = self.terms.add(total, scaled);
        }
        total
    }
}

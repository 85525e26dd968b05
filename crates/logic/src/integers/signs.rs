//! Which terms are read as signed numbers.
//!
//! Terms of one width that are added, chosen between or compared are one class, but for constants,
//! which fit any. The members vote by what is done with them; a class without votes is signed, since
//! differences of addresses are.

use crate::terms::{Operator, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Signs {
    /// A term of the same class; a term without one stands for its class.
    parent: FxHashMap<TermId, TermId>,
    /// By the term that stands for a class: votes for signed without those for unsigned.
    balance: FxHashMap<TermId, i64>,
}

impl Signs {
    /// Of all terms below some, of which pairs are alike.
    pub(super) fn new(terms: &Terms, roots: &[TermId], alike: &[(TermId, TermId)]) -> Signs {
        let mut signs = Signs::default();
        let mut votes: Vec<(TermId, i64)> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = roots.to_vec();
        for (left, right) in alike {
            signs.join(terms, *left, *right);
        }
        while let Some(next) = work.pop() {
            if !seen.insert(next) {
                continue;
            }
            let row = terms.get(next);
            let of = &row.arguments;
            work.extend(of);
            match row.operator {
                Operator::Sum { .. } => of.iter().for_each(|id| signs.join(terms, next, *id)),
                Operator::IfThenElse => {
                    signs.join(terms, next, of[1]);
                    signs.join(terms, next, of[2]);
                }
                Operator::Equal => signs.join(terms, of[0], of[1]),
                Operator::UnsignedLess | Operator::SignedLess => {
                    signs.join(terms, of[0], of[1]);
                    let is_signed = row.operator == Operator::SignedLess;
                    let vote = if is_signed { 1 } else { -1 };
                    votes.extend(of.iter().map(|id| (*id, vote)));
                }
                Operator::ZeroExtend => votes.push((of[0], -1)),
                Operator::SignExtend => votes.extend([(of[0], 1), (next, 1)]),
                _ => {}
            }
        }
        for (term, vote) in votes {
            let class = signs.class(term);
            *signs.balance.entry(class).or_insert(0) += vote;
        }
        signs
    }

    pub(super) fn is_signed(&self, term: TermId) -> bool {
        let balance = self.balance.get(&self.class(term)).copied();
        balance.unwrap_or(0) >= 0
    }

    fn class(&self, mut term: TermId) -> TermId {
        while let Some(parent) = self.parent.get(&term) {
            term = *parent;
        }
        term
    }

    fn join(&mut self, terms: &Terms, left: TermId, right: TermId) {
        let is_constant = |id: TermId| terms.as_bits(id).is_some();
        if is_constant(left) || is_constant(right) || terms.sort(left) != terms.sort(right) {
            return;
        }
        let (one, two) = (self.class(left), self.class(right));
        let first = one.min(two);
        // The ways that were gone are short from now on.
        for term in [left, right, one, two] {
            if term != first {
                self.parent.insert(term, first);
            }
        }
    }
}

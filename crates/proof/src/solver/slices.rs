//! Few assumptions first.
//!
//! **Question.** Can assertions not be true together, of which the first denies a claim and the others
//! are what is known?
//!
//! **Rules.** Most of what is known has nothing to do with the claim, and makes a solver slow. So the
//! claim is asked about with the assumptions that speak only of what it speaks of itself (symbols,
//! loads, applied functions), and with all of them if that was not enough.
//!
//! **Soundness.** What is unsatisfiable with fewer assertions is so with more.
//!
//! **Cost.** A claim that does not follow is asked about twice.

use super::{Answer, Limits, Solvers};
use crate::terms::{Operator, Sort, TermId, Terms};
use rustc_hash::FxHashSet;

impl Solvers {
    /// Whether the assertions cannot be true together; the first is the one that matters.
    pub fn refutes(&mut self, terms: &Terms, assertions: &[TermId], limits: Limits) -> bool {
        matches!(
            self.decide(terms, assertions, limits),
            Answer::Unsatisfiable
        )
    }

    /// Whether the assertions can be true together; the first is the one that matters.
    pub fn decide(&mut self, terms: &Terms, assertions: &[TermId], limits: Limits) -> Answer {
        let near = nearest(terms, assertions);
        let answer = self.check(terms, &near, limits);
        match answer {
            Answer::Unsatisfiable => answer,
            _ if near.len() == assertions.len() => answer,
            _ => self.check(terms, assertions, limits),
        }
    }
}

/// The first assertion, and those that speak only of what it speaks of.
fn nearest(terms: &Terms, assertions: &[TermId]) -> Vec<TermId> {
    let Some((first, others)) = assertions.split_first() else {
        return Vec::new();
    };
    let own = spoken_of(terms, *first);
    let others = others
        .iter()
        .filter(|id| spoken_of(terms, **id).is_subset(&own));
    std::iter::once(first).chain(others).copied().collect()
}

/// The symbols, loads and applied functions in a term; whole memories do not count.
fn spoken_of(terms: &Terms, root: TermId) -> FxHashSet<TermId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        let row = terms.get(id);
        let counts = matches!(
            row.operator,
            Operator::Symbol(_) | Operator::Load | Operator::Apply(_)
        );
        if counts && row.sort != Sort::Memory {
            found.insert(id);
        }
        work.extend(&row.arguments);
    }
    found
}

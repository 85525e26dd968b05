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

use super::{Answer, Decision, Limits, Solvers};
use crate::terms::{Operator, Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

impl Solvers<'_> {
    /// Whether the assertions cannot be true together; the first is the one that matters.
    pub fn refutes(&mut self, terms: &Terms, assertions: &[TermId], limits: Limits) -> bool {
        matches!(
            self.decide(terms, assertions, limits),
            Answer::Unsatisfiable
        )
    }

    /// Whether the assertions can be true together; the first is the one that matters.
    pub fn decide(&mut self, terms: &Terms, assertions: &[TermId], limits: Limits) -> Answer {
        nearest_first(terms, assertions, |some| {
            let answer = self.check(terms, some, limits);
            (matches!(answer, Answer::Unsatisfiable), answer)
        })
    }

    /// The same where no model is wanted.
    pub fn decide_without_model(
        &mut self,
        terms: &Terms,
        assertions: &[TermId],
        limits: Limits,
    ) -> Decision {
        nearest_first(terms, assertions, |some| {
            let decision = self.decision(terms, some, limits);
            (decision == Decision::Unsatisfiable, decision)
        })
    }
}

/// Asks with few assumptions, and with all if that does not settle it.
fn nearest_first<T>(
    terms: &Terms,
    assertions: &[TermId],
    mut ask: impl FnMut(&[TermId]) -> (bool, T),
) -> T {
    let near = nearest(terms, assertions);
    let (is_settled, answer) = ask(&near);
    match is_settled || near.len() == assertions.len() {
        true => answer,
        false => ask(assertions).1,
    }
}

/// The first assertion, and those that speak only of what it speaks of.
fn nearest(terms: &Terms, assertions: &[TermId]) -> Vec<TermId> {
    let Some((first, others)) = assertions.split_first() else {
        return Vec::new();
    };
    let own = spoken_of(terms, *first);
    let mut near = Near {
        terms,
        own,
        known: FxHashMap::default(),
    };
    let others = others.iter().copied().filter(|id| near.has(*id));
    std::iter::once(*first).chain(others).collect()
}

/// Symbols, loads and applied functions are spoken of; whole memories do not count.
fn counts(terms: &Terms, id: TermId) -> bool {
    let row = terms.get(id);
    let is_unknown = matches!(
        row.operator,
        Operator::Symbol(_) | Operator::Load | Operator::Apply(_)
    );
    is_unknown && row.sort != Sort::Memory
}

/// All that a term speaks of.
fn spoken_of(terms: &Terms, root: TermId) -> FxHashSet<TermId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        if counts(terms, id) {
            found.insert(id);
        }
        work.extend(&terms.get(id).arguments);
    }
    found
}

/// What speaks only of some terms. Assumptions have much in common, and each term is looked at once
/// for all of them.
struct Near<'a> {
    terms: &'a Terms,
    own: FxHashSet<TermId>,
    known: FxHashMap<TermId, bool>,
}

impl Near<'_> {
    fn has(&mut self, root: TermId) -> bool {
        let mut work = vec![root];
        while let Some(id) = work.last().copied() {
            if self.known.contains_key(&id) {
                work.pop();
                continue;
            }
            if counts(self.terms, id) && !self.own.contains(&id) {
                self.known.insert(id, false);
                continue;
            }
            let arguments = &self.terms.get(id).arguments;
            let is_far = |part: &TermId| self.known.get(part) == Some(&false);
            if arguments.iter().any(is_far) {
                self.known.insert(id, false);
                continue;
            }
            match arguments.iter().find(|part| !self.known.contains_key(part)) {
                Some(part) => work.push(*part),
                None => {
                    self.known.insert(id, true);
                }
            }
        }
        self.known[&root]
    }
}

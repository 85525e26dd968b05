//! What is known of the count of iterations.
//!
//! **Rules.** A condition *c*(k) for another iteration that depends on the count k and on what the loop
//! does not change held after every earlier iteration: *c*(j) for all j < k. Of these j some are
//! told: the last one, and the roots of comparisons ([`crate::terms`]), where *c* fails or turns:
//! `K < k → c(K)` for each of them, whatever K is. No loop makes 2^63 iterations.
//!
//! **Soundness.** Instances of a statement about the version itself, whatever the other does.

use super::Evaluator;
use crate::terms::{Operator, TermId};

impl Evaluator<'_, '_> {
    /// Given all that varied since the loop was entered, from a number on.
    pub(super) fn count_facts(
        &mut self,
        counter: TermId,
        again: TermId,
        varying: usize,
    ) -> Vec<TermId> {
        let zero = self.terms.bits(64, 0);
        let one = self.terms.bits(64, 1);
        let mut facts = vec![self.terms.signed_less_or_equal(zero, counter)];
        let parts = match self.terms.get(again).operator {
            Operator::And => self.terms.get(again).arguments.to_vec(),
            _ => vec![again],
        };
        let others: Vec<TermId> = self.varying[varying..]
            .iter()
            .copied()
            .filter(|id| *id != counter)
            .collect();
        for part in parts {
            if !self.terms.mentions(part, &[counter]) || self.terms.mentions(part, &others) {
                continue;
            }
            let last = self.terms.subtract(counter, one);
            let held = self.terms.substitute(part, counter, last);
            let is_first = self.terms.equal(counter, zero);
            facts.push(self.terms.or([is_first, held]));
            for root in self.terms.roots(part, counter) {
                let held = self.terms.substitute(part, counter, root);
                let not_yet = self.terms.unsigned_less_or_equal(counter, root);
                facts.push(self.terms.or([not_yet, held]));
            }
        }
        facts
    }
}

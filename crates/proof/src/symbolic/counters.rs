//! What is known of the count of iterations.
//!
//! **Rules.** A condition *c*(k) for another iteration that depends on the count k and on what the loop
//! does not change held after every earlier iteration: *c*(j) for all j < k. Of these j some are
//! told: the last one, and the roots of comparisons ([`knockon_logic::terms`]), where *c* fails or turns:
//! `K < k → c(K)` for each of them, whatever K is. No loop makes 2^63 iterations. Likewise, what was
//! done in the iteration before this one was defined.
//!
//! **Soundness.** Instances of a statement about the version itself, whatever the other does.

use super::{Evaluator, Item};
use knockon_logic::terms::mentions::Mentions;
use knockon_logic::terms::{Operator, Sort, TermId};

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
        let mut counts = Mentions::of(&[counter]);
        let mut varies = Mentions::of(&others);
        for part in parts {
            if !counts.is_in(self.terms, part) || varies.is_in(self.terms, part) {
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

    /// What was asked of a value before it came round holds of it at the header, but in the first
    /// iteration, in which it is what it was before the loop.
    pub(super) fn tested_before(
        &mut self,
        counter: TermId,
        again: TermId,
        items: &[(Item, TermId, TermId, TermId)],
        varying: usize,
    ) -> Vec<TermId> {
        let parts = match self.terms.get(again).operator {
            Operator::And => self.terms.get(again).arguments.to_vec(),
            _ => vec![again],
        };
        let mut varies = Mentions::of(&self.varying[varying..]);
        let zero = self.terms.bits(64, 0);
        let is_first = self.terms.equal(counter, zero);
        let mut facts = Vec::new();
        for (_, before, here, after) in items {
            if !matches!(self.terms.sort(*here), Sort::Bits(_))
                || self.terms.as_symbol(*here).is_none()
            {
                continue;
            }
            let is_as_before = self.terms.equal(*here, *before);
            let at_first = self.terms.and([is_first, is_as_before]);
            let mut comes_round = Mentions::of(&[*after]);
            for part in &parts {
                if !comes_round.is_in(self.terms, *part) {
                    continue;
                }
                let sort = self.terms.sort(*here);
                let any = self.names.fresh(self.terms, "any value", sort);
                let of_any = self.terms.substitute(*part, *after, any);
                if !varies.is_in(self.terms, of_any) {
                    let holds = self.terms.substitute(of_any, any, *here);
                    facts.push(self.terms.or([at_first, holds]));
                }
            }
        }
        facts
    }

    /// What the last iteration did was defined, as far as it depends on the count and on what the
    /// loop does not change.
    pub(super) fn defined_before(&mut self, number: usize, varying: usize) -> Vec<TermId> {
        if !self.is_known_defined() {
            return Vec::new();
        }
        let counter = self.loops[number].counter;
        let from = self.loops[number].at_entry.undefined;
        let others: Vec<TermId> = self.varying[varying..]
            .iter()
            .copied()
            .filter(|id| *id != counter)
            .collect();
        let zero = self.terms.bits(64, 0);
        let one = self.terms.bits(64, 1);
        let is_first = self.terms.equal(counter, zero);
        let last = self.terms.subtract(counter, one);
        let rows: Vec<(TermId, TermId)> = self.undefined[from..]
            .iter()
            .filter(|row| row.within == Some(number))
            .map(|row| (row.guard, row.condition))
            .collect();
        let mut facts = Vec::new();
        let mut counts = Mentions::of(&[counter]);
        let mut varies = Mentions::of(&others);
        for (guard, condition) in rows {
            let happens = self.terms.and([guard, condition]);
            if !counts.is_in(self.terms, happens) || varies.is_in(self.terms, happens) {
                continue;
            }
            let happened = self.terms.substitute(happens, counter, last);
            let was_defined = self.terms.not(happened);
            facts.push(self.terms.or([is_first, was_defined]));
        }
        facts
    }
}

//! Choices whose condition is known where they are used.

use super::{Operator, Sort, TermId, Terms};
use rustc_hash::FxHashSet;

/// Choices inside of choices are looked at so deep.
const MOST_DEPTH: u32 = 6;

impl Terms {
    /// A term that has the same value wherever a condition holds: of choices that the parts of the
    /// condition decide, what is chosen.
    pub fn under(&mut self, condition: TermId, term: TermId) -> TermId {
        let parts = match self.get(condition).operator {
            Operator::Boolean(_) => return term,
            Operator::And => self.get(condition).arguments.to_vec(),
            _ => vec![condition],
        };
        match self.sort(term) {
            Sort::Boolean => term,
            _ => self.chosen(&parts, term, MOST_DEPTH),
        }
    }

    fn chosen(&mut self, known: &[TermId], term: TermId, depth: u32) -> TermId {
        let row = self.get(term);
        if row.operator != Operator::IfThenElse || depth == 0 {
            return term;
        }
        let [condition, left, right] = row.arguments[..] else {
            return term;
        };
        if self.is_among(known, condition) {
            return self.chosen(known, left, depth);
        }
        let negated = self.not(condition);
        if self.is_among(known, negated) {
            return self.chosen(known, right, depth);
        }
        let first = self.chosen(known, left, depth - 1);
        let second = self.chosen(known, right, depth - 1);
        match (first, second) == (left, right) {
            true => term,
            false => self.if_then_else(condition, first, second),
        }
    }

    /// Follows from conditions that hold: one of them, all parts of it or, of a disjunction, some.
    fn is_among(&self, known: &[TermId], condition: TermId) -> bool {
        if known.contains(&condition) {
            return true;
        }
        let row = self.get(condition);
        match row.operator {
            Operator::And => row.arguments.iter().all(|part| known.contains(part)),
            Operator::Or => row.arguments.iter().any(|part| known.contains(part)),
            _ => false,
        }
    }

    /// Conditions that hold together where one does: for each choice in it one for each way, if
    /// these are no more than `most`.
    pub fn cases(&mut self, condition: TermId, most: usize) -> Vec<TermId> {
        let mut done = Vec::new();
        let mut open: Vec<(Vec<TermId>, TermId)> = vec![(Vec::new(), condition)];
        while let Some((unless, rest)) = open.pop() {
            let Some(decides) = self.choice_in(rest) else {
                let parts: Vec<TermId> = unless.into_iter().chain([rest]).collect();
                done.push(self.or(parts));
                continue;
            };
            if done.len() + open.len() + 2 > most {
                return vec![condition];
            }
            let negated = self.not(decides);
            for (holds, fails) in [(decides, negated), (negated, decides)] {
                let (yes, no) = (self.boolean(true), self.boolean(false));
                let decided = self.substitute_all(rest, &[(holds, yes), (fails, no)]);
                let unless: Vec<TermId> = unless.iter().copied().chain([fails]).collect();
                open.push((unless, decided));
            }
        }
        done
    }

    /// The condition of some choice that a condition depends on, not through memory or functions.
    fn choice_in(&self, condition: TermId) -> Option<TermId> {
        let mut seen = FxHashSet::default();
        let mut work = vec![condition];
        while let Some(next) = work.pop() {
            let row = self.get(next);
            if !seen.insert(next) || matches!(row.operator, Operator::Load | Operator::Apply(_)) {
                continue;
            }
            if row.operator == Operator::IfThenElse && row.sort != Sort::Memory {
                return row.arguments.first().copied();
            }
            work.extend(&row.arguments);
        }
        None
    }
}

//! Conditions. Negations stand inside, so that both forms of De Morgan's laws are one term; what
//! follows from the other parts of a conjunction or disjunction is left out.

use super::{Operator, Sort, TermId, Terms};

impl Terms {
    pub fn not(&mut self, term: TermId) -> TermId {
        match self.get(term).operator {
            Operator::Boolean(value) => self.boolean(!value),
            Operator::Not => self.get(term).arguments[0],
            Operator::And | Operator::Or => {
                if let Some(known) = self.negations.get(&term) {
                    return *known;
                }
                let is_and = self.get(term).operator == Operator::And;
                let parts = self.get(term).arguments.clone();
                let parts: Vec<TermId> = parts.into_iter().map(|part| self.not(part)).collect();
                let negated = self.junction(parts, !is_and);
                self.negations.insert(term, negated);
                negated
            }
            _ => self.intern(Operator::Not, Sort::Boolean, [term]),
        }
    }

    pub fn and(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(parts, true)
    }

    pub fn or(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(parts, false)
    }

    pub fn implies(&mut self, left: TermId, right: TermId) -> TermId {
        let negated = self.not(left);
        self.or([negated, right])
    }

    /// A conjunction, or by duality a disjunction.
    fn junction(&mut self, parts: impl IntoIterator<Item = TermId>, is_and: bool) -> TermId {
        let (own, dual) = match is_and {
            true => (Operator::And, Operator::Or),
            false => (Operator::Or, Operator::And),
        };
        let mut all: Vec<TermId> = Vec::new();
        for part in parts {
            match self.get(part) {
                row if row.operator == own => all.extend(&row.arguments),
                _ => all.push(part),
            }
        }
        // What decides all, or nothing.
        let (neutral, decisive) = (self.boolean(is_and), self.boolean(!is_and));
        all.retain(|part| *part != neutral);
        if all.contains(&decisive) {
            return decisive;
        }
        all.sort_unstable();
        all.dedup();
        let negated: Vec<TermId> = all.clone().into_iter().map(|part| self.not(part)).collect();
        if negated.iter().any(|part| all.binary_search(part).is_ok()) {
            return decisive;
        }
        // `a ∧ (a ∨ b)` is `a`, and `a ∧ (¬a ∨ b)` is `a ∧ b`.
        let mut kept: Vec<TermId> = Vec::new();
        let mut is_new = false;
        for part in &all {
            if self.get(*part).operator != dual {
                kept.push(*part);
                continue;
            }
            let inner = self.get(*part).arguments.clone();
            let holds = |id: &TermId| all.binary_search(id).is_ok();
            if inner.iter().any(holds) {
                continue;
            }
            let left: Vec<TermId> = inner
                .iter()
                .copied()
                .filter(|id| !negated.contains(id))
                .collect();
            if left.len() < inner.len() {
                is_new = true;
                let shorter = self.junction(left, !is_and);
                kept.push(shorter);
            } else {
                kept.push(*part);
            }
        }
        if is_new {
            return self.junction(kept, is_and);
        }
        if let Some(found) = self.common_part(&kept, dual, is_and) {
            return found;
        }
        match kept[..] {
            [] => neutral,
            [only] => only,
            _ => self.intern(own, Sort::Boolean, kept),
        }
    }

    /// `(c ∧ a) ∨ (c ∧ b)` is `c ∧ (a ∨ b)`: the ways through a branch that meet again.
    fn common_part(&mut self, parts: &[TermId], dual: Operator, is_and: bool) -> Option<TermId> {
        let [left, right] = parts else {
            return None;
        };
        if self.get(*left).operator != dual || self.get(*right).operator != dual {
            return None;
        }
        let left = self.get(*left).arguments.clone();
        let right = self.get(*right).arguments.clone();
        let (common, first): (Vec<TermId>, Vec<TermId>) =
            left.iter().partition(|id| right.contains(id));
        if common.is_empty() {
            return None;
        }
        let second: Vec<TermId> = right
            .into_iter()
            .filter(|id| !common.contains(id))
            .collect();
        let first = self.junction(first, !is_and);
        let second = self.junction(second, !is_and);
        let rest = self.junction([first, second], is_and);
        let all: Vec<TermId> = common.into_iter().chain([rest]).collect();
        Some(self.junction(all, !is_and))
    }
}

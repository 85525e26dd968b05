//! Conditions. Negations stand inside, so that both forms of De Morgan's laws are one term; what
//! follows from the other parts of a conjunction or disjunction is left out.

use super::{Arguments, Operator, Sort, TermId, Terms};

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
        self.known_junction(parts, true)
    }

    pub fn or(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        self.known_junction(parts, false)
    }

    /// The same two parts meet again and again, and each may be long.
    fn known_junction(&mut self, parts: impl IntoIterator<Item = TermId>, is_and: bool) -> TermId {
        let parts: Arguments = parts.into_iter().collect();
        let [left, right] = parts[..] else {
            return self.junction(parts, is_and);
        };
        if let Some(known) = self.junctions.get(&(left, right, is_and)) {
            return *known;
        }
        let made = match self.one_more(left, right, is_and) {
            Some(made) => made,
            None => self.junction(parts, is_and),
        };
        self.junctions.insert((left, right, is_and), made);
        made
    }

    pub fn implies(&mut self, left: TermId, right: TermId) -> TermId {
        let negated = self.not(left);
        self.or([negated, right])
    }

    /// What [`Terms::junction`] makes of a conjunction and one more part that does not shorten it;
    /// `None` if it is not that. Conditions of places grow in this way, to some hundred parts.
    fn one_more(&mut self, whole: TermId, part: TermId, is_and: bool) -> Option<TermId> {
        let (own, dual) = match is_and {
            true => (Operator::And, Operator::Or),
            false => (Operator::Or, Operator::And),
        };
        let operator = |terms: &Terms, id: TermId| terms.get(id).operator.clone();
        let is_one = |terms: &Terms, id: TermId| {
            let operator = operator(terms, id);
            operator != own && !matches!(operator, Operator::Boolean(_))
        };
        if operator(self, whole) != own || !is_one(self, part) {
            return None;
        }
        let parts = self.get(whole).arguments.clone();
        let Err(place) = parts.binary_search(&part) else {
            return Some(whole);
        };
        let negated = self.not(part);
        if parts.binary_search(&negated).is_ok() {
            return Some(self.boolean(!is_and));
        }
        let meets = |id: &TermId| {
            let row = self.get(*id);
            row.operator == dual
                && [part, negated]
                    .iter()
                    .any(|one| row.arguments.binary_search(one).is_ok())
        };
        if parts.iter().any(meets) {
            return None;
        }
        if operator(self, part) == dual {
            let inner = self.get(part).arguments.clone();
            if inner.iter().any(|id| parts.binary_search(id).is_ok()) {
                return Some(whole);
            }
            for id in inner {
                let denied = self.not(id);
                if parts.binary_search(&denied).is_ok() {
                    return None;
                }
            }
        }
        let (before, behind) = parts.split_at(place);
        let all = before.iter().chain([&part]).chain(behind).copied();
        Some(self.intern(own, Sort::Boolean, all))
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
        let mut denied = negated;
        denied.sort_unstable();
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
                .filter(|id| denied.binary_search(id).is_err())
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
        // Arguments of conjunctions and disjunctions are in order.
        let (common, first): (Vec<TermId>, Vec<TermId>) =
            left.iter().partition(|id| right.binary_search(id).is_ok());
        if common.is_empty() {
            return None;
        }
        let second: Vec<TermId> = right
            .into_iter()
            .filter(|id| common.binary_search(id).is_err())
            .collect();
        let first = self.junction(first, !is_and);
        let second = self.junction(second, !is_and);
        let rest = self.junction([first, second], is_and);
        let all: Vec<TermId> = common.into_iter().chain([rest]).collect();
        Some(self.junction(all, !is_and))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random conditions over few symbols, so that parts meet: in two ways, the same term.
    #[test]
    fn one_more_part_makes_what_all_parts_make() {
        let mut terms = Terms::new();
        let mut known: Vec<TermId> = (0..12)
            .map(|number| terms.symbol(format!("s{number}"), Sort::Boolean))
            .collect();
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |bound: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % bound as u64) as usize
        };
        let mut quick = 0;
        for _ in 0..20_000 {
            let (left, right) = (known[below(known.len())], known[below(known.len())]);
            let is_and = below(2) == 0;
            let made = terms.junction([left, right], is_and);
            for (whole, part) in [(left, right), (right, left)] {
                if let Some(one_more) = terms.one_more(whole, part, is_and) {
                    assert_eq!(one_more, made, "{whole:?} {part:?} {is_and}");
                    quick += 1;
                }
            }
            let negated = terms.not(made);
            let place = below(200);
            match known.get_mut(place) {
                Some(old) if place >= 12 => *old = negated,
                Some(_) => {}
                None => known.extend([made, negated]),
            }
        }
        assert!(quick > 2000, "{quick}");
    }
}

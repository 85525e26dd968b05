//! **Question.** What holds between two loops in lock step besides equal values, so that a claim
//! follows?
//!
//! **Source.** DESIGN.md §6, equivalence (c): where equal values do not suffice, Horn clauses propose
//! an invariant ([`knockon_logic::horn`]), and its parts are candidates that are pruned to a fixpoint
//! (Houdini: Flanagan, Leino 2001).
//!
//! **Rules.** A relation speaks of the symbols at the headers and of what the loops do not change. It is
//! kept if it holds before the loops and, given all relations that are left, after an iteration that
//! another follows; in each case of its choices by itself, since sums of choices are hard for
//! solvers that look at bits. What is left is known at the headers from then on.
//!
//! **Soundness.** By the same induction as the partition of equal values: all of it is shown in one
//! round, over the same terms, and a pair of loops that turns out not to be in lock step begins a new
//! round without relations. A relation is noted with the new version's loop, whose time is the later
//! one, for runs that enter both loops. What is not changed must not be: only parameters, the
//! memory at the start, and the symbols of loops that were entered before count as that.
//!
//! **Cost.** A question to the Horn solver, and two to the others for each candidate in each round of
//! pruning.

use super::knowledge::Place;
use super::loop_pairs::{end_of, start_of};
use super::{Ask, Product};
use knockon_change::{Side, Sides};
use knockon_logic::horn::{Clauses, Equality, LoopQuestion, candidates, is_small};
use knockon_logic::terms::{Operator, Sort, TermId};
use rustc_hash::FxHashSet;

/// So many pairs of what is read are compared.
const MOST_CONGRUENCES: usize = 20;

/// What an iteration does is split into so many cases, where choices in it are that many.
const MOST_CASES: usize = 16;

/// A symbol at the headers, its value before the loops, and that after an iteration.
type Carried = (TermId, TermId, TermId);

impl Product {
    /// Whether a claim that does not follow by itself follows at a place from relations between loops
    /// that it speaks of.
    pub(crate) fn follows_by_relations(
        &mut self,
        claim: TermId,
        place: &Place,
        ask: &mut Ask<'_>,
    ) -> bool {
        if self.terms.as_boolean(claim).is_some() {
            return self.follows_at(claim, place, ask);
        }
        // The last loop first: what is asked mostly comes from there.
        let mut pairs = self.loop_pairs.clone();
        pairs.reverse();
        pairs.into_iter().any(|numbers| {
            let headers = self.header_symbols(&numbers);
            let known = place.known.new.loops > numbers.new;
            known
                && self.terms.mentions(claim, &headers)
                && self.is_related(&numbers, claim, place, ask)
        })
    }

    /// Finds relations between the loops of a pair; `true` if a claim follows with them.
    pub(super) fn is_related(
        &mut self,
        numbers: &Sides<usize>,
        claim: TermId,
        place: &Place,
        ask: &mut Ask<'_>,
    ) -> bool {
        if !ask.proposes() {
            return false;
        }
        let denied = self.terms.not(claim);
        let Some(question) = self.loop_question(numbers, denied, place) else {
            return false;
        };
        let Some(clauses) = Clauses::of(&self.terms, &question) else {
            return false;
        };
        let Some(answer) = ask.invariant(&clauses.text) else {
            return false;
        };
        let proposed = candidates(&mut self.terms, &clauses, &answer);
        let carried = &question.carried;
        let mut open: Vec<TermId> = Vec::new();
        let mut shown: Vec<Equality> = Vec::new();
        // Solvers get slow with assumptions, so each equality is tried by itself at first.
        for equality in proposed.equalities {
            let candidate = self.true_at_start(numbers, carried, vec![equality.holds], ask);
            if candidate.is_empty() {
                continue;
            }
            match self.kept(numbers, carried, candidate, ask).is_empty() {
                true => open.push(equality.holds),
                false => {
                    self.note(numbers, equality.holds);
                    shown.push(equality);
                }
            }
        }
        if !shown.is_empty() && self.follows_by_equalities(claim, &shown, place, ask) {
            return true;
        }
        open.extend(self.true_at_start(numbers, carried, proposed.others, ask));
        let kept = self.kept(numbers, carried, open, ask);
        for relation in &kept {
            self.note(numbers, *relation);
        }
        !kept.is_empty() && self.follows_at(claim, place, ask)
    }

    /// Whether a claim follows at a place: for what equalities say in place of symbols, and where they do
    /// not hold.
    fn follows_by_equalities(
        &mut self,
        claim: TermId,
        equalities: &[Equality],
        place: &Place,
        ask: &mut Ask<'_>,
    ) -> bool {
        let mut rewritten = claim;
        let mut hold: Vec<TermId> = Vec::new();
        for equality in equalities {
            if let Some((symbol, value)) = equality.solved {
                rewritten = self.terms.substitute(rewritten, symbol, value);
                hold.push(equality.holds);
            }
        }
        let hold = self.terms.and(hold);
        let otherwise = self.terms.or([hold, claim]);
        let mut cases = self.terms.cases(rewritten, MOST_CASES).into_iter();
        cases.all(|case| self.follows_at(case, place, ask))
            && (rewritten == claim || self.follows_at(otherwise, place, ask))
    }

    /// From now on a relation is known at the headers.
    fn note(&mut self, numbers: &Sides<usize>, relation: TermId) {
        let mut entered: Vec<TermId> = Vec::new();
        for side in Side::BOTH {
            let loops = &self.outcomes.of(side).loops;
            let mut at = Some(*numbers.of(side));
            while let Some(number) = at {
                entered.push(loops[number].entry.condition);
                at = loops[number].within;
            }
        }
        let entered = self.terms.and(entered);
        let holds = self.terms.implies(entered, relation);
        let known = &mut self.outcomes.new.loops[numbers.new].invariants;
        if !known.contains(&holds) {
            known.push(holds);
        }
    }

    fn loop_question(
        &mut self,
        numbers: &Sides<usize>,
        denied: TermId,
        place: &Place,
    ) -> Option<LoopQuestion> {
        let counter = self.outcomes.old.loops[numbers.old].counter;
        if self.outcomes.new.loops[numbers.new].counter != counter {
            return None;
        }
        let zero = self.terms.bits(64, 0);
        let one = self.terms.bits(64, 1);
        let next = self.terms.add(counter, one);
        let mut carried = vec![(counter, zero, next)];
        for side in Side::BOTH {
            for (_, before, here, after) in &self.outcomes.of(side).loops[*numbers.of(side)].items {
                let is_known = carried.iter().any(|row| row.0 == *here);
                let is_symbol = self.terms.as_symbol(*here).is_some();
                if is_symbol && !is_known && is_small(&self.terms, *here) {
                    carried.push((*here, *before, *after));
                }
            }
        }
        let old = &self.outcomes.old.loops[numbers.old];
        let new = &self.outcomes.new.loops[numbers.new];
        let entered = self.terms.and([old.entry.condition, new.entry.condition]);
        let again = self.terms.and([old.again, new.again]);
        let (start, end) = (start_of(self, numbers), end_of(self, numbers));
        let mut at_claim = self.known_with(place, denied);
        at_claim.extend(self.congruences(denied));
        Some(LoopQuestion {
            kept: self.kept_symbols(numbers),
            at_start: self.known_with(&start, entered),
            at_end: self.known_with(&end, again),
            at_claim,
            carried,
        })
    }

    /// What a claim reads from one memory, or gets from one function, is the same if its address is, or
    /// its arguments are: integers know nothing of that.
    pub(super) fn congruences(&mut self, claim: TermId) -> Vec<TermId> {
        let mut rows: Vec<TermId> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![claim];
        while let Some(next) = work.pop() {
            let row = self.terms.get(next);
            if !seen.insert(next) || row.sort == Sort::Memory {
                continue;
            }
            match row.operator {
                Operator::Load | Operator::Apply(_) => rows.push(next),
                _ => work.extend(&row.arguments),
            }
        }
        rows.sort_unstable();
        let mut found = Vec::new();
        for (at, left) in rows.iter().enumerate() {
            for right in &rows[..at] {
                let (one, two) = (
                    self.terms.get(*left).clone(),
                    self.terms.get(*right).clone(),
                );
                if (&one.operator, one.sort) != (&two.operator, two.sort) {
                    continue;
                }
                let arguments = || one.arguments.iter().zip(&two.arguments);
                let sort = |id: TermId| self.terms.sort(id);
                if arguments().any(|(left, right)| {
                    left != right && (sort(*left) == Sort::Memory || sort(*left) != sort(*right))
                }) {
                    continue;
                }
                let equal: Vec<TermId> = arguments()
                    .map(|(left, right)| self.terms.equal(*left, *right))
                    .collect();
                let arguments = self.terms.and(equal);
                let results = self.terms.equal(*left, *right);
                found.push(self.terms.implies(arguments, results));
                if found.len() == MOST_CONGRUENCES {
                    return found;
                }
            }
        }
        found
    }

    /// What is known at a place, behind something that need not be.
    fn known_with(&mut self, place: &Place, first: TermId) -> Vec<TermId> {
        let mut known = self.assumptions(place, first);
        if known.first() != Some(&first) {
            known.insert(0, first);
        }
        known
    }

    /// The candidates that hold before the loops.
    fn true_at_start(
        &mut self,
        numbers: &Sides<usize>,
        carried: &[Carried],
        mut candidates: Vec<TermId>,
        ask: &mut Ask<'_>,
    ) -> Vec<TermId> {
        let starts: Vec<(TermId, TermId)> = carried.iter().map(|row| (row.0, row.1)).collect();
        let old = &self.outcomes.old.loops[numbers.old];
        let new = &self.outcomes.new.loops[numbers.new];
        let entered = self.terms.and([old.entry.condition, new.entry.condition]);
        let start = start_of(self, numbers);
        candidates.retain(|candidate| {
            let at_start = self.terms.substitute_all(*candidate, &starts);
            let claim = self.terms.implies(entered, at_start);
            self.follows_at(claim, &start, ask)
        });
        candidates
    }

    /// The largest set of candidates that an iteration keeps, given all of them.
    fn kept(
        &mut self,
        numbers: &Sides<usize>,
        carried: &[Carried],
        mut candidates: Vec<TermId>,
        ask: &mut Ask<'_>,
    ) -> Vec<TermId> {
        let ends: Vec<(TermId, TermId)> = carried.iter().map(|row| (row.0, row.2)).collect();
        let old = &self.outcomes.old.loops[numbers.old];
        let new = &self.outcomes.new.loops[numbers.new];
        let again = self.terms.and([old.again, new.again]);
        let end = end_of(self, numbers);
        loop {
            let before = candidates.len();
            let all = self.terms.and(candidates.clone());
            let from = self.terms.and([all, again]);
            candidates.retain(|candidate| {
                let at_end = self.terms.substitute_all(*candidate, &ends);
                let mut cases = self.terms.cases(at_end, MOST_CASES).into_iter();
                cases.all(|case| {
                    let claim = self.terms.implies(from, case);
                    self.follows_at(claim, &end, ask)
                })
            });
            if candidates.len() == before {
                return candidates;
            }
        }
    }

    /// The symbols at the headers of a pair of loops.
    fn header_symbols(&self, numbers: &Sides<usize>) -> Vec<TermId> {
        let mut found = Vec::new();
        for side in Side::BOTH {
            found.extend(self.symbols_of_loop(side, *numbers.of(side)));
        }
        found
    }

    fn symbols_of_loop(&self, side: Side, number: usize) -> Vec<TermId> {
        let record = &self.outcomes.of(side).loops[number];
        let items = record.items.iter().map(|row| row.2);
        let symbols = items.filter(|here| self.terms.as_symbol(*here).is_some());
        symbols.chain([record.counter]).collect()
    }

    /// Symbols that mean the same in all iterations of a pair of loops.
    fn kept_symbols(&self, numbers: &Sides<usize>) -> FxHashSet<TermId> {
        let mut kept: FxHashSet<TermId> = FxHashSet::default();
        kept.extend(&self.names.given);
        for side in Side::BOTH {
            for number in 0..*numbers.of(side) {
                kept.extend(self.symbols_of_loop(side, number));
            }
        }
        // Loops inside, and the pair itself.
        for side in Side::BOTH {
            for number in *numbers.of(side)..self.outcomes.of(side).loops.len() {
                for symbol in self.symbols_of_loop(side, number) {
                    kept.remove(&symbol);
                }
            }
        }
        kept.retain(|id| matches!(self.terms.get(*id).operator, Operator::Symbol(_)));
        kept
    }
}

//! **Question.** Do two versions of a function do the same, given the same?
//!
//! **Source.** Regression verification (Godlin, Strichman 2009) and SUMMARYEQUIV of [sem-dcia]
//! Definition 4.2, for each output by itself: what the function returns, memory, each part of
//! the world, and whether it returns at all.
//!
//! **Rules.** Both versions are evaluated in lock step ([`crate::product`]); an output is the same
//! if it is the same term, or a solver shows it equal. The whole is *equivalent* if all outputs are,
//! and the new version is undefined only where the old one is.
//!
//! **Soundness.** Recursive calls of the pair itself count as equal: that is induction over the depth
//! of calls, so what is shown holds for runs that end. Undefined behaviour of the new version is
//! excluded in the order of execution: whatever came before it is known to be defined.

use crate::product::alignments::alignments;
use crate::product::{Ask, Product, Questions, Subject, product};
use crate::symbolic::{Ending, HISTORY, Shapes, Undecided, Undefined, Value, WORLD_PARTS};
use knockon_change::Sides;
use knockon_logic::terms::{Operator, Sort, TermId, Terms};
use knockon_program::PlaceId;
use rustc_hash::FxHashMap;

/// What of two versions is the same, given the same.
pub struct Comparison {
    pub product: Product,
    pub same_returning: bool,
    pub same_result: bool,
    pub same_memory: bool,
    pub same_world: [bool; WORLD_PARTS],
    /// How the program ends inside of the function.
    pub same_leaving: bool,
    /// The new version is undefined only where the old one is.
    pub same_definedness: bool,
    /// Where the new version may be undefined and the old one is not, if that is so.
    pub undefined_at: Option<PlaceId>,
}

impl Comparison {
    pub fn is_equivalent(&self) -> bool {
        self.same_returning
            && self.same_result
            && self.same_memory
            && self.same_world.iter().all(|part| *part)
            && self.same_leaving
            && self.same_definedness
    }
}

/// What another reading of loops may cost: so many questions that are not answered with yes,
const MOST_FAILURES: usize = 6;
/// So many Horn clauses are asked about for the plain reading, and as many for all others.
const MOST_PROPOSALS: usize = 4;
/// Memories are compared store by store up to so many.
const MOST_CASES: usize = 200;
/// What all readings may cost together.
const MOST_FAILURES_IN_ALL: usize = 60;

/// Compares two versions of a function.
pub fn compare(subject: &Subject<'_, '_>, ask: &mut Ask<'_>) -> Result<Comparison, Undecided> {
    let mut limited = Limited {
        ask,
        failures: 0,
        most_failures: usize::MAX,
        proposals: MOST_PROPOSALS,
        proposed: FxHashMap::default(),
    };
    let plain = compare_as(subject, &Sides::default(), &mut limited)?;
    if plain.is_equivalent() {
        return Ok(plain);
    }
    let mut in_all = 0;
    limited.proposals += MOST_PROPOSALS;
    for shapes in alignments(subject, &plain.product) {
        limited.failures = 0;
        limited.most_failures = MOST_FAILURES;
        if let Ok(comparison) = compare_as(subject, &shapes, &mut limited)
            && comparison.is_equivalent()
        {
            return Ok(comparison);
        }
        in_all += limited.failures;
        if in_all >= MOST_FAILURES_IN_ALL {
            break;
        }
    }
    Ok(plain)
}

/// Questions, as many as a pair of functions is worth.
struct Limited<'a> {
    ask: &'a mut Ask<'a>,
    /// Not answered with yes,
    failures: usize,
    /// of so many that may be.
    most_failures: usize,
    /// So many Horn clauses may still be asked about.
    proposals: usize,
    /// Those that were asked about; a round of the product often repeats them.
    proposed: FxHashMap<String, Option<String>>,
}

impl Questions for Limited<'_> {
    fn refutes(&mut self, terms: &Terms, assertions: &[TermId]) -> bool {
        let holds = self.failures < self.most_failures && self.ask.refutes(terms, assertions);
        self.failures += usize::from(!holds);
        holds
    }

    fn is_over(&self) -> bool {
        self.ask.is_over()
    }

    fn is_about_output(&mut self, is_so: bool) {
        self.ask.is_about_output(is_so);
    }

    fn proposes(&self) -> bool {
        let repeats = || self.proposed.values().any(Option::is_some);
        (self.proposals > 0 || repeats()) && self.ask.proposes()
    }

    fn invariant(&mut self, clauses: &str) -> Option<String> {
        if let Some(known) = self.proposed.get(clauses) {
            return known.clone();
        }
        self.proposals = self.proposals.checked_sub(1)?;
        let proposal = self.ask.invariant(clauses);
        if proposal.is_some() {
            // Parts of it may be wrong.
            self.most_failures = self.most_failures.saturating_add(MOST_FAILURES);
        }
        self.proposed.insert(clauses.to_owned(), proposal.clone());
        proposal
    }
}

/// Compares two versions whose loops are read in some way.
fn compare_as(
    subject: &Subject<'_, '_>,
    shapes: &Sides<Shapes>,
    ask: &mut Ask<'_>,
) -> Result<Comparison, Undecided> {
    let mut product = product(subject, shapes, ask)?;
    let returns = (
        product.outcomes.old.returns.clone(),
        product.outcomes.new.returns.clone(),
    );
    let leaves = (
        product.outcomes.old.leaves.clone(),
        product.outcomes.new.leaves.clone(),
    );
    // Another reading is of use only if all is the same.
    let wants_all = *shapes != Sides::default();
    let returned = product.compare_endings(returns, wants_all, ask);
    if wants_all && !returned.is_same() {
        return Err(Undecided::TooLarge);
    }
    let left = product.compare_endings(leaves, wants_all, ask);
    if wants_all && !left.is_same() {
        return Err(Undecided::TooLarge);
    }
    let undefined = product.adds_undefined(ask);
    Ok(Comparison {
        same_returning: returned.happens,
        same_result: returned.value,
        same_memory: returned.memory,
        same_world: returned.world,
        same_leaving: left.happens && left.memory && left.world.iter().all(|part| *part),
        same_definedness: undefined.is_none(),
        undefined_at: undefined.and_then(|row| row.place),
        product,
    })
}

/// What of two endings is the same.
struct SameEnding {
    happens: bool,
    value: bool,
    memory: bool,
    world: [bool; WORLD_PARTS],
}

impl SameEnding {
    fn is_same(&self) -> bool {
        self.happens && self.value && self.memory && self.world.iter().all(|part| *part)
    }
}

impl Product {
    /// Part by part; if all of it is wanted, up to the first that is not the same.
    fn compare_endings(
        &mut self,
        endings: (Option<Ending>, Option<Ending>),
        wants_all: bool,
        ask: &mut Ask<'_>,
    ) -> SameEnding {
        let (old, new) = match endings {
            (Some(old), Some(new)) => (old, new),
            (None, None) => {
                return SameEnding {
                    happens: true,
                    value: true,
                    memory: true,
                    world: [true; WORLD_PARTS],
                };
            }
            _ => {
                return SameEnding {
                    happens: false,
                    value: false,
                    memory: false,
                    world: [false; WORLD_PARTS],
                };
            }
        };
        let condition = old.state.condition;
        let always = self.terms.boolean(true);
        let happens = self.same_if(always, condition, new.state.condition, ask);
        let is_open = |so_far: bool| so_far || !wants_all;
        let value = is_open(happens)
            && match (&old.value, &new.value) {
                (None, None) => true,
                (Some(old), Some(new)) => self.same_value(condition, old, new, ask),
                _ => false,
            };
        let mut gone = self.outcomes.old.dead.clone();
        gone.extend(&self.outcomes.new.dead);
        let memories = (
            self.terms.without_objects(old.state.memories[0], &gone),
            self.terms.without_objects(new.state.memories[0], &gone),
        );
        let memory = is_open(value) && self.same_if(condition, memories.0, memories.1, ask);
        let mut world = [true; WORLD_PARTS];
        for part in 0..WORLD_PARTS {
            let (old, new) = (old.state.world[part], new.state.world[part]);
            world[part] =
                part == HISTORY || is_open(memory) && self.same_if(condition, old, new, ask);
        }
        SameEnding {
            happens,
            value,
            memory,
            world,
        }
    }

    fn same_if(&mut self, condition: TermId, old: TermId, new: TermId, ask: &mut Ask<'_>) -> bool {
        if old == new {
            return true;
        }
        if self.terms.sort(old) != self.terms.sort(new) {
            return false;
        }
        let equal = self.terms.equal(old, new);
        let claim = self.terms.implies(condition, equal);
        if let Some(alike) = self.alike(old, new) {
            let claim = self.terms.implies(condition, alike);
            if self.follows(claim, None, ask) {
                return true;
            }
        }
        ask.is_about_output(true);
        let is_same = self.follows(claim, None, ask);
        ask.is_about_output(false);
        if is_same {
            return true;
        }
        let place = self.place_of(None);
        let claim = match self.terms.sort(old) {
            Sort::Memory => match self.alike_by_cases(old, new) {
                Some(alike) => self.terms.implies(condition, alike),
                None => return false,
            },
            _ => claim,
        };
        self.follows_by_relations(claim, &place, ask)
    }

    /// Two memories are equal if the same was written to the same places in the same order: mostly that
    /// is so, and easier to show.
    fn alike(&mut self, old: TermId, new: TermId) -> Option<TermId> {
        let mut parts = Vec::new();
        let (mut old, mut new) = (old, new);
        while old != new {
            let (left, right) = (self.terms.get(old).clone(), self.terms.get(new).clone());
            let are_stores = left.operator == Operator::Store && right.operator == Operator::Store;
            let (at, value) = match are_stores {
                true => (
                    (left.arguments[1], right.arguments[1]),
                    (left.arguments[2], right.arguments[2]),
                ),
                false => return None,
            };
            if self.terms.sort(value.0) != self.terms.sort(value.1) {
                return None;
            }
            parts.push(self.terms.equal(at.0, at.1));
            parts.push(self.terms.equal(value.0, value.1));
            (old, new) = (left.arguments[0], right.arguments[0]);
        }
        (!parts.is_empty()).then(|| self.terms.and(parts))
    }

    /// As `alike`, also where it depends on conditions what was written.
    pub(crate) fn alike_by_cases(&mut self, old: TermId, new: TermId) -> Option<TermId> {
        self.alike_in(old, new, &mut { MOST_CASES })
    }

    fn alike_in(&mut self, old: TermId, new: TermId, left_cases: &mut usize) -> Option<TermId> {
        if old == new {
            return Some(self.terms.boolean(true));
        }
        *left_cases = left_cases.checked_sub(1)?;
        let (left, right) = (self.terms.get(old).clone(), self.terms.get(new).clone());
        let parts = match (&left.operator, &right.operator) {
            (Operator::Store, Operator::Store) => {
                let before = self.alike_in(left.arguments[0], right.arguments[0], left_cases)?;
                let values = (left.arguments[2], right.arguments[2]);
                if self.terms.sort(values.0) != self.terms.sort(values.1) {
                    return None;
                }
                let at = self.terms.equal(left.arguments[1], right.arguments[1]);
                let value = self.terms.equal(values.0, values.1);
                [before, at, value]
            }
            (Operator::IfThenElse, Operator::IfThenElse) => {
                let condition = left.arguments[0];
                let first = self.alike_in(left.arguments[1], right.arguments[1], left_cases)?;
                let second = self.alike_in(left.arguments[2], right.arguments[2], left_cases)?;
                let first = self.terms.implies(condition, first);
                let second = self.terms.or([condition, second]);
                [
                    self.terms.equal(condition, right.arguments[0]),
                    first,
                    second,
                ]
            }
            _ => return None,
        };
        Some(self.terms.and(parts))
    }

    fn same_value(
        &mut self,
        condition: TermId,
        old: &Value,
        new: &Value,
        ask: &mut Ask<'_>,
    ) -> bool {
        match (old, new) {
            (Value::Term(old), Value::Term(new)) => self.same_if(condition, *old, *new, ask),
            (Value::Aggregate(old), Value::Aggregate(new)) => {
                old.len() == new.len()
                    && old
                        .iter()
                        .zip(new)
                        .all(|(old, new)| self.same_value(condition, old, new, ask))
            }
            _ => false,
        }
    }

    /// A place where the new version may be undefined and the old one is not.
    fn adds_undefined(&mut self, ask: &mut Ask<'_>) -> Option<Undefined> {
        let old = self.outcomes.old.undefined.clone();
        let new = self.outcomes.new.undefined.clone();
        for (number, row) in new.iter().enumerate() {
            // Inside a loop, what the old version does after it speaks of the last iteration.
            let until = match self.in_step(row.within) {
                Some(partner) => self.outcomes.old.loops[partner].at_end.undefined,
                None => usize::MAX,
            };
            let is_known = old.iter().take(until).any(|other| {
                other.condition == row.condition && self.is_weaker(other.guard, row.guard)
            });
            if is_known {
                continue;
            }
            let happens = self.terms.and([row.guard, row.condition]);
            let never = self.terms.not(happens);
            let place = self.place_before(row, number);
            if !self.follows_at(never, &place, ask)
                && !self.follows_by_relations(never, &place, ask)
            {
                return Some(*row);
            }
        }
        None
    }

    /// All parts of the first condition are parts of the second.
    fn is_weaker(&self, weak: TermId, strong: TermId) -> bool {
        let parts = |id: TermId| match self.terms.get(id).operator {
            Operator::And => self.terms.get(id).arguments.to_vec(),
            Operator::Boolean(true) => Vec::new(),
            _ => vec![id],
        };
        let strong = parts(strong);
        parts(weak).iter().all(|part| strong.contains(part))
    }
}

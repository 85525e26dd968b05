//! **Question.** Which nodes of two versions of a function observe the same, given the same?
//!
//! **Source.** "Beyond the paper": [sem-dcia] §5.3 names nodes in changed procedures as the first
//! cause of imprecision. The product aligns both copies, so its terms tell for each pair of nodes
//! whether they are reached alike and see the same.
//!
//! **Rules.** A pair of nodes is the same if both are in no loop or in loops in lock step, are
//! reached under the same condition, and their operands, and what they read or return, are equal.
//! A pair of calls happens alike if it is reached alike after the same calls, and finds the same
//! memory and world as far as it may look at them.
//!
//! Where the function may lead to itself, other activations observe before and after its calls, and
//! nothing is said of single nodes.
//!
//! **Soundness.** Equal observations in each iteration are equal sequences. Everything is meant for
//! one activation of the function whose inputs are those of its partner's.

use crate::equivalence::Comparison;
use crate::product::Ask;
use crate::symbolic::Observation;
use crate::terms::TermId;
use knockon_change::{FunctionPair, Side};
use knockon_program::{Body, InstructionId, Opcode};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is the same in one activation, given the same. Nodes are the old version's.
#[derive(Clone, Debug, Default)]
pub struct SameValues {
    /// Observe the same.
    pub nodes: FxHashSet<InstructionId>,
    /// Calls that happen alike, in the same order, and find the same besides their arguments.
    pub occurrences: FxHashSet<InstructionId>,
    /// Calls whose callee looks at the same.
    pub given: FxHashSet<InstructionId>,
    pub result: bool,
    pub returning: bool,
    /// All memory and the world.
    pub state: bool,
    /// All that the function does: what others may notice meanwhile, and how it ends, too.
    pub whole: bool,
}

/// So many values are compared by a solver at most.
const MOST_QUESTIONS: usize = 60;

pub fn same_values(
    comparison: &mut Comparison,
    pair: &FunctionPair,
    old_body: &Body,
    is_recursive: bool,
    ask: &mut Ask<'_>,
) -> SameValues {
    let world = comparison.same_world.iter().all(|part| *part);
    let mut found = SameValues {
        result: comparison.same_result && comparison.same_returning,
        returning: comparison.same_returning && comparison.same_leaving,
        state: comparison.same_memory && world && comparison.same_returning,
        whole: comparison.is_equivalent(),
        ..SameValues::default()
    };
    if is_recursive {
        return found;
    }
    let old = comparison.product.outcomes.old.observations.clone();
    let new = comparison.product.outcomes.new.observations.clone();
    let mut ids: Vec<InstructionId> = old.keys().copied().collect();
    ids.sort_unstable();
    let mut comparing = Comparing {
        comparison,
        ask,
        left: MOST_QUESTIONS,
        known: FxHashMap::default(),
    };
    for id in ids {
        let Some(partner) = pair.partner_of_node(Side::Old, id) else {
            continue;
        };
        let Some(theirs) = new.get(&partner) else {
            continue;
        };
        let own = &old[&id];
        if own.len() != theirs.len() {
            continue;
        }
        let rows = || own.iter().zip(theirs);
        let is_reached_alike = rows().all(|(own, theirs)| comparing.is_reached_alike(own, theirs));
        if !is_reached_alike {
            continue;
        }
        let is_same_call = rows()
            .all(|(own, theirs)| own.history == theirs.history && own.callee == theirs.callee);
        let finds_same = is_same_call
            && rows().all(
                |(own, theirs)| match (&own.surroundings, &theirs.surroundings) {
                    (Some(ours), Some(theirs)) => comparing.are_equal(own, ours, theirs),
                    _ => false,
                },
            );
        if finds_same {
            found.occurrences.insert(id);
        }
        // A branch that is a source may lead elsewhere on the same condition.
        let opcode = old_body.instruction(id).opcode;
        let may_lead_elsewhere =
            pair.is_source(Side::Old, id) && opcode.is_terminator() && opcode != Opcode::Return;
        if is_same_call
            && !may_lead_elsewhere
            && rows().all(|(own, theirs)| comparing.are_equal(own, &own.values, &theirs.values))
        {
            found.nodes.insert(id);
        }
        if is_same_call
            && rows().all(|(own, theirs)| {
                !own.given.is_empty() && comparing.are_equal(own, &own.given, &theirs.given)
            })
        {
            found.given.insert(id);
        }
    }
    found
}

struct Comparing<'c, 'a, 's> {
    comparison: &'c mut Comparison,
    ask: &'a mut Ask<'s>,
    /// Questions that may still be asked.
    left: usize,
    known: FxHashMap<(TermId, TermId, Option<usize>), bool>,
}

impl Comparing<'_, '_, '_> {
    fn is_reached_alike(&mut self, old: &Observation, new: &Observation) -> bool {
        let in_step = match (old.within, new.within) {
            (None, None) => true,
            (Some(old), Some(new)) => {
                let mut pairs = self.comparison.product.loop_pairs.iter();
                pairs.any(|pair| (pair.old, pair.new) == (old, new))
            }
            _ => false,
        };
        in_step && self.is_equal(old, old.condition, new.condition)
    }

    fn are_equal(&mut self, at: &Observation, old: &[TermId], new: &[TermId]) -> bool {
        old.len() == new.len()
            && old
                .iter()
                .zip(new)
                .all(|(old, new)| self.is_equal(at, *old, *new))
    }

    /// Equal whenever control comes there.
    fn is_equal(&mut self, at: &Observation, old: TermId, new: TermId) -> bool {
        if old == new {
            return true;
        }
        let key = (old, new, at.within);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let product = &mut self.comparison.product;
        let is_same_sort = product.terms.sort(old) == product.terms.sort(new);
        let found = is_same_sort && {
            let equal = product.terms.equal(old, new);
            product.follows(equal, at.within, self.ask)
        };
        self.known.insert(key, found);
        found
    }
}

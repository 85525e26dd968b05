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
//! Where the function may lead to itself, or run while others do, other activations observe during its
//! calls: then something is said of single nodes only if every pair of nodes, but for sources that only
//! compute, is reached alike, after the same calls.
//!
//! **Soundness.** Equal observations in each iteration are equal sequences. Everything is meant for
//! one activation of the function whose inputs are those of its partner's. Activations inside of each
//! other are a tree, and a node observes in its order. If each node comes after the same calls in both
//! versions, then equal trees are walked in the same order; and a call that is not the same makes
//! another tree, which a way from that call into its callee tells. One pair that comes at another
//! place among the calls is enough to say nothing: it may be the call that was moved and is the same,
//! and no way leads from there to the node that it was moved past. In an activation that got something
//! else, a node changes its place only where a test decides so that the other input reaches, and is
//! reached with it. Of a function that calls itself at its end, arguments are all that the call
//! observes here: what is found counts only if the function does the same as a whole, which
//! [`crate::function_pairs`] sees to.

use crate::equivalence::Comparison;
use crate::product::Ask;
use crate::symbolic::Observation;
use knockon_change::{FunctionPair, Side, Sides};
use knockon_logic::terms::TermId;
use knockon_program::{Body, InstructionId, Opcode};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is the same in one activation, given the same. Nodes are the old version's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    let observations = Sides {
        old: comparison.product.outcomes.old.observations.clone(),
        new: comparison.product.outcomes.new.observations.clone(),
    };
    let Sides { old, new } = &observations;
    let mut ids: Vec<InstructionId> = old.keys().copied().collect();
    ids.sort_unstable();
    let mut comparing = Comparing {
        comparison,
        ask,
        left: MOST_QUESTIONS,
        known: FxHashMap::default(),
    };
    if is_recursive && !comparing.is_in_order(pair, old_body, &observations) {
        return found;
    }
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
            .all(|(own, theirs)| comparing.is_ordered(own, theirs) && own.callee == theirs.callee);
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
        let is_given_same = is_same_call
            && rows().all(|(own, theirs)| {
                !own.given.is_empty() && comparing.are_equal(own, &own.given, &theirs.given)
            });
        if is_given_same {
            found.given.insert(id);
        }
        // What arguments hold that are passed as copies is in what the callee is given.
        let passes_copies = !old_body.by_value_arguments_of(id).is_empty();
        if is_same_call
            && !may_lead_elsewhere
            && (is_given_same || !passes_copies)
            && rows().all(|(own, theirs)| comparing.are_equal(own, &own.values, &theirs.values))
        {
            found.nodes.insert(id);
        }
    }
    found
}

struct Comparing<'c, 'a, 's> {
    comparison: &'c mut Comparison,
    ask: &'a mut Ask<'s>,
    /// Questions that may still be asked.
    left: usize,
    known: FxHashMap<(TermId, Option<usize>), bool>,
}

impl Comparing<'_, '_, '_> {
    /// Calls come after the same calls; other nodes anywhere.
    fn is_ordered(&mut self, old: &Observation, new: &Observation) -> bool {
        old.is_ordered == new.is_ordered
            && (!old.is_ordered || self.is_equal_at(old, old.history, new.history))
    }

    /// All pairs of nodes are reached alike and after the same calls. What has no observations does
    /// not run. A source that only computes may come anywhere: it is called changed whatever is shown
    /// of it, nothing comes back to it, and what uses its value is asked by itself.
    fn is_in_order(
        &mut self,
        pair: &FunctionPair,
        old_body: &Body,
        observations: &Sides<FxHashMap<InstructionId, Vec<Observation>>>,
    ) -> bool {
        let rows_of = |side: Side, id| observations.of(side).get(&id).map_or(&[][..], |rows| rows);
        old_body.instruction_ids().all(|id| {
            let Some(partner) = pair.partner_of_node(Side::Old, id) else {
                return true;
            };
            if pair.is_source(Side::Old, id) && old_body.instruction(id).opcode.only_computes() {
                return true;
            }
            let (own, theirs) = (rows_of(Side::Old, id), rows_of(Side::New, partner));
            own.len() == theirs.len()
                && own.iter().zip(theirs).all(|(own, theirs)| {
                    self.is_reached_alike(own, theirs)
                        && self.is_equal_at(own, own.history, theirs.history)
                })
        })
    }

    fn is_reached_alike(&mut self, old: &Observation, new: &Observation) -> bool {
        let in_step = match (old.within, new.within) {
            (None, None) => true,
            (Some(old), Some(new)) => {
                let mut pairs = self.comparison.product.loop_pairs.iter();
                pairs.any(|pair| (pair.old, pair.new) == (old, new))
            }
            _ => false,
        };
        in_step && self.is_equal(old.within, None, old.condition, new.condition)
    }

    fn are_equal(&mut self, at: &Observation, old: &[TermId], new: &[TermId]) -> bool {
        old.len() == new.len()
            && old
                .iter()
                .zip(new)
                .all(|(old, new)| self.is_equal_at(at, *old, *new))
    }

    /// Equal whenever control comes there, which it does in both versions or in none.
    fn is_equal_at(&mut self, at: &Observation, old: TermId, new: TermId) -> bool {
        self.is_equal(at.within, Some(at.condition), old, new)
    }

    fn is_equal(
        &mut self,
        within: Option<usize>,
        condition: Option<TermId>,
        old: TermId,
        new: TermId,
    ) -> bool {
        if old == new {
            return true;
        }
        let terms = &mut self.comparison.product.terms;
        if terms.sort(old) != terms.sort(new) {
            return false;
        }
        let equal = terms.equal(old, new);
        let claim = condition.map_or(equal, |condition| terms.implies(condition, equal));
        let key = (claim, within);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let product = &mut self.comparison.product;
        let found = product.follows(claim, within, self.ask);
        self.known.insert(key, found);
        found
    }
}

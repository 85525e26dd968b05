//! **Question.** What is known of both versions at some time of their runs, and what follows?
//!
//! **Rules.** A [`Place`] is an iteration of a loop of each version, or none, and how far each
//! version has come. Known there are: what may be undefined and was passed without being so; that
//! the loops around were entered; what holds at their headers; and how the loops ended that are over.
//!
//! **Soundness.** The symbols of a loop mean the present iteration inside it and the last one after it,
//! so what was noted after a loop says nothing inside it. Of the new version only what came
//! before is known: what is shown of a place must not rest on what comes later, since that may rest
//! on it. The old version's run is given as a whole.
//!
//! Where single lines are compared ([`Compared::Lines`]), an activation of the new version may
//! get something else than its partner, and what does not depend on that is shown for what the partner
//! gets. With that the new version was never run: that it is defined, and that its loops end, is not
//! known.

use super::{Ask, Compared, Product};
use crate::symbolic::{Known, Undefined};
use knockon_change::{Side, Sides};
use knockon_logic::terms::TermId;
use rustc_hash::FxHashSet;

/// An iteration of a loop of each version, or none, and how far each has come.
pub(crate) struct Place {
    pub around: Sides<Option<usize>>,
    pub known: Sides<Known>,
}

const NOTHING: Known = Known {
    undefined: 0,
    facts: 0,
    loops: 0,
};

impl Product {
    /// Two values are equal on every run: the same term, or so a solver shows from what is known
    /// around a loop of the old version.
    pub fn is_equal(
        &mut self,
        left: TermId,
        right: TermId,
        within: Option<usize>,
        ask: &mut Ask<'_>,
    ) -> bool {
        let place = self.place_of(within);
        self.is_equal_at(left, right, &place, ask)
    }

    /// Whether something holds on every run, in each iteration of a loop of the old version.
    pub fn follows(&mut self, claim: TermId, within: Option<usize>, ask: &mut Ask<'_>) -> bool {
        let place = self.place_of(within);
        self.follows_at(claim, &place, ask)
    }

    pub(crate) fn is_equal_at(
        &mut self,
        left: TermId,
        right: TermId,
        place: &Place,
        ask: &mut Ask<'_>,
    ) -> bool {
        if left == right {
            return true;
        }
        if self.terms.sort(left) != self.terms.sort(right) {
            return false;
        }
        let equal = self.terms.equal(left, right);
        self.follows_at(equal, place, ask)
    }

    pub(crate) fn follows_at(&mut self, claim: TermId, place: &Place, ask: &mut Ask<'_>) -> bool {
        match self.terms.as_boolean(claim) {
            Some(value) => value,
            None if ask.is_over() => false,
            None => {
                let denied = self.terms.not(claim);
                let assumed = self.assumptions(place, denied);
                ask.refutes(&self.terms, &assumed)
            }
        }
    }

    /// The new version is about to do something that may be undefined.
    pub(crate) fn place_before(&self, undefined: &Undefined, number: usize) -> Place {
        let mut place = self.place_of_new(undefined.within, undefined.known);
        place.known.new.undefined = number;
        place.known.new.facts = undefined.known.facts;
        place
    }

    /// The end of an iteration of the old version's loop and its partner's, or of both runs.
    pub(crate) fn place_of(&self, within: Option<usize>) -> Place {
        let Some(old) = within else {
            return Place {
                around: Sides::default(),
                known: Sides {
                    old: Known::ALL,
                    new: self.known_of_new(Known::ALL),
                },
            };
        };
        let pair = self.loop_pairs.iter().find(|pair| pair.old == old);
        let new = pair.map(|pair| pair.new);
        Place {
            around: Sides { old: within, new },
            known: Sides {
                old: self.outcomes.old.loops[old].at_end,
                new: new.map_or(NOTHING, |new| {
                    self.known_of_new(self.outcomes.new.loops[new].at_end)
                }),
            },
        }
    }

    /// What is known of the new version's run where it has come so far.
    pub(super) fn known_of_new(&self, known: Known) -> Known {
        match self.compared {
            Compared::Functions => known,
            Compared::Lines => Known {
                undefined: 0,
                facts: 0,
                ..known
            },
        }
    }

    /// The new version has come so far, the old one to the end of the iteration that is in step with
    /// it, or to its end.
    pub(crate) fn place_of_new(&self, within: Option<usize>, known: Known) -> Place {
        let old = self.in_step(within);
        Place {
            around: Sides { old, new: within },
            known: Sides {
                old: old.map_or(Known::ALL, |old| self.outcomes.old.loops[old].at_end),
                new: self.known_of_new(known),
            },
        }
    }

    /// The old version by itself.
    pub(crate) fn place_of_old(&self, within: Option<usize>, known: Known) -> Place {
        Place {
            around: Sides {
                old: within,
                new: None,
            },
            known: Sides {
                old: known,
                new: NOTHING,
            },
        }
    }

    /// The old version's loop whose iterations are in step with the nearest loop around a place of the
    /// new version.
    pub(crate) fn in_step(&self, within: Option<usize>) -> Option<usize> {
        let mut at = within;
        while let Some(number) = at {
            if let Some(pair) = self.loop_pairs.iter().find(|pair| pair.new == number) {
                return Some(pair.old);
            }
            at = self.outcomes.new.loops[number].within;
        }
        None
    }

    /// What is known at a place, behind what is asked.
    pub(super) fn assumptions(&mut self, place: &Place, denied: TermId) -> Vec<TermId> {
        let mut assumed = vec![denied];
        for side in Side::BOTH {
            let known = *place.known.of(side);
            let outcome = self.outcomes.of(side);
            let mut around: Vec<usize> = Vec::new();
            let mut at = *place.around.of(side);
            while let Some(number) = at {
                around.push(number);
                assumed.push(outcome.loops[number].entry.condition);
                at = outcome.loops[number].within;
            }
            for record in outcome.loops.iter().take(known.loops) {
                assumed.extend(&record.invariants);
            }
            let facts = outcome.facts.iter().take(known.facts);
            let over = facts.filter(|fact| fact.over.iter().all(|loop_| !around.contains(loop_)));
            assumed.extend(over.map(|fact| fact.holds));
            let rows: Vec<(TermId, TermId)> = outcome
                .undefined
                .iter()
                .take(known.undefined)
                .map(|row| (row.guard, row.condition))
                .collect();
            for (guard, condition) in rows {
                let both = self.terms.and([guard, condition]);
                assumed.push(self.terms.not(both));
            }
        }
        assumed.extend(&self.names.about_accesses);
        self.add_contents(&mut assumed);
        assumed.retain(|id| self.terms.as_boolean(*id) != Some(true));
        let mut seen = FxHashSet::default();
        assumed.retain(|id| seen.insert(*id));
        assumed
    }

    /// The bytes of constant objects that are spoken of.
    fn add_contents(&mut self, assumed: &mut Vec<TermId>) {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut work = assumed.clone();
        while let Some(next) = work.pop() {
            if seen.insert(next) {
                work.extend(&self.terms.get(next).arguments);
            }
        }
        let contents = self.names.contents.clone();
        for object in contents {
            if !seen.contains(&object.memory) {
                continue;
            }
            let mut assume = |product: &mut Product, at: usize, bytes: u32, value: TermId| {
                let offset = product.terms.bits(64, at as u128);
                let at = product.terms.add(object.address, offset);
                let loaded = product.terms.load(object.memory, at, bytes);
                assumed.push(product.terms.equal(loaded, value));
            };
            for (offset, byte) in object.content.bytes.iter().enumerate() {
                if object.content.is_plain(offset, offset + 1) {
                    let byte = self.terms.bits(8, u128::from(*byte));
                    assume(self, offset, 1, byte);
                }
            }
            for (offset, address) in &object.content.addresses {
                assume(self, *offset, 8, *address);
            }
        }
    }
}

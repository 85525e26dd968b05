//! Pairs of loops in lock step: which of their values are equal in each iteration.
//!
//! All values of one sort start in one class; a class is split where two members are not equal before
//! the loop, or not after an iteration. Members of different versions that have different terms are
//! kept together if a solver shows them equal.

use super::knowledge::Place;
use super::{Ask, Compared, Product};
use crate::symbolic::{HISTORY, Item, LoopKey, LoopPlan, LoopPlans};
use knockon_change::{Side, Sides};
use knockon_logic::terms::{Sort, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

type Member = (Side, Item);

/// Two loops that may run in lock step.
#[derive(Clone)]
pub(super) struct LoopPair {
    keys: Sides<LoopKey>,
    /// Items that may be equal, each class with a number.
    classes: Vec<Vec<Member>>,
    strides: FxHashMap<Member, (u128, bool)>,
    /// Items that turned out not to grow by a constant.
    irregular: FxHashSet<Member>,
}

/// A value before a loop, at its header, and after an iteration.
type Values = (TermId, TermId, TermId);

/// A value before a loop, and after an iteration.
type Ends = (TermId, TermId);

/// Members with equal ends.
struct Part {
    ends: Ends,
    members: Vec<Member>,
}

impl Part {
    fn has(&self, side: Side) -> bool {
        self.members.iter().any(|member| member.0 == side)
    }
}

/// Questions that may still be answered with no.
pub(super) struct Patience {
    pub left: usize,
}

/// Loops at the same place of the nest, in order.
pub(super) fn paired_loops(made: &Product) -> Vec<LoopPair> {
    let mut pairs = Vec::new();
    let mut work: Vec<(Option<usize>, Option<usize>)> = vec![(None, None)];
    while let Some((old, new)) = work.pop() {
        let inside = |side: Side, within: Option<usize>| -> Vec<usize> {
            let loops = &made.outcomes.of(side).loops;
            (0..loops.len())
                .filter(|number| loops[*number].within == within)
                .collect()
        };
        let (olds, news) = (inside(Side::Old, old), inside(Side::New, new));
        for (old, new) in olds.into_iter().zip(news) {
            let keys = Sides {
                old: made.outcomes.old.loops[old].key.clone(),
                new: made.outcomes.new.loops[new].key.clone(),
            };
            let mut classes: FxHashMap<(u32, Sort), Vec<Member>> = FxHashMap::default();
            for (side, number) in [(Side::Old, old), (Side::New, new)] {
                for (item, before, ..) in &made.outcomes.of(side).loops[number].items {
                    let kind = match item {
                        Item::Phi(..) | Item::Argument(..) | Item::Cell(_) => 0,
                        Item::Memory(_) => 1,
                        Item::World(part) => 2 + part,
                    };
                    let class = classes.entry((kind, made.terms.sort(*before)));
                    class.or_default().push((side, *item));
                }
            }
            let mut classes: Vec<_> = classes.into_iter().collect();
            classes.sort_unstable_by_key(|row| row.0);
            pairs.push(LoopPair {
                keys,
                classes: classes.into_iter().map(|row| row.1).collect(),
                strides: FxHashMap::default(),
                irregular: FxHashSet::default(),
            });
            work.push((Some(old), Some(new)));
        }
    }
    pairs
}

/// Takes pairs away whose loops are inside of loops that are not paired with each other.
pub(super) fn drop_orphans(pairs: &mut Vec<LoopPair>, made: &Product) {
    loop {
        let is_orphan = |pair: &LoopPair| {
            let Some(numbers) = pair.numbers(made) else {
                return true;
            };
            let around = Sides {
                old: made.outcomes.old.loops[numbers.old].within,
                new: made.outcomes.new.loops[numbers.new].within,
            };
            match (around.old, around.new) {
                (None, None) => false,
                (Some(old), Some(new)) => !pairs.iter().any(|other| {
                    let numbers = other.numbers(made);
                    numbers.is_some_and(|numbers| (numbers.old, numbers.new) == (old, new))
                }),
                _ => true,
            }
        };
        match pairs.iter().position(is_orphan) {
            Some(number) => pairs.remove(number),
            None => return,
        };
    }
}

/// The names that a round gives to headers.
pub(super) fn plans(pairs: &[LoopPair]) -> Sides<LoopPlans> {
    let mut plans: Sides<LoopPlans> = Sides::default();
    for pair in pairs {
        let LoopKey { path, id, copy } = &pair.keys.old;
        let whole = format!("{path}loop {} copy {copy}", id.0);
        for side in Side::BOTH {
            let mut plan = LoopPlan {
                counter: format!("{whole} count"),
                ..LoopPlan::default()
            };
            for (number, class) in pair.classes.iter().enumerate() {
                for (owner, item) in class {
                    if *owner == side {
                        let name = format!("{whole} value {number}");
                        plan.names.insert(*item, name);
                    }
                }
            }
            for ((owner, item), stride) in &pair.strides {
                if *owner == side {
                    plan.strides.insert(*item, *stride);
                }
            }
            let key = pair.keys.of(side).clone();
            plans.of_mut(side).insert(key, plan);
        }
    }
    plans
}

impl LoopPair {
    fn numbers(&self, made: &Product) -> Option<Sides<usize>> {
        let find = |side: Side| {
            let loops = &made.outcomes.of(side).loops;
            loops.iter().position(|row| row.key == *self.keys.of(side))
        };
        Some(Sides {
            old: find(Side::Old)?,
            new: find(Side::New)?,
        })
    }

    /// Splits what was not kept by an iteration; `true` if something was split.
    pub fn refine(
        &mut self,
        made: &mut Product,
        patience: &mut Patience,
        ask: &mut Ask<'_>,
    ) -> bool {
        let Some(numbers) = self.numbers(made) else {
            // Not reached in one version: nothing to keep.
            let is_new = self.classes.iter().any(|class| class.len() > 1);
            let members = self.classes.drain(..).flatten();
            self.classes = members.map(|member| vec![member]).collect();
            return is_new;
        };
        let mut values: FxHashMap<Member, Values> = FxHashMap::default();
        for side in Side::BOTH {
            let record = &made.outcomes.of(side).loops[*numbers.of(side)];
            for (item, before, here, after) in &record.items {
                values.insert((side, *item), (*before, *here, *after));
            }
        }
        // Cheap first: a solver is asked about values only when nothing else changes them.
        if self.split_by_start(&values) || self.find_strides(made, &numbers, &values, patience, ask)
        {
            return true;
        }
        let mut is_new = false;
        let mut refined: Vec<Vec<Member>> = Vec::new();
        // What one part of the world does not keep, the others mostly do not either.
        let mut keeps_world = true;
        for class in std::mem::take(&mut self.classes) {
            let mut parts = parts_of(&class, &values, |row| (row.0, row.2));
            let of_world = class.iter().find_map(|member| match member.1 {
                Item::World(part) => Some(part as usize),
                _ => None,
            });
            // The order of calls is asked for where lines are.
            let is_asked = of_world != Some(HISTORY) || made.compared == Compared::Lines;
            if of_world.is_none() || keeps_world && is_asked {
                merge(made, &numbers, &mut parts, patience, ask);
                keeps_world &= of_world.is_none() || parts.len() == 1;
            }
            is_new |= parts.len() > 1;
            refined.extend(parts.into_iter().map(|part| part.members));
        }
        self.classes = refined;
        is_new
    }

    /// What has another value before the loop is in another class.
    fn split_by_start(&mut self, values: &FxHashMap<Member, Values>) -> bool {
        let mut refined: Vec<Vec<Member>> = Vec::new();
        let before = self.classes.len();
        for class in std::mem::take(&mut self.classes) {
            let parts = parts_of(&class, values, |row| (row.0, row.0));
            refined.extend(parts.into_iter().map(|part| part.members));
        }
        self.classes = refined;
        self.classes.len() > before
    }

    /// What grows by a constant is no longer in a class.
    fn find_strides(
        &mut self,
        made: &mut Product,
        numbers: &Sides<usize>,
        values: &FxHashMap<Member, Values>,
        patience: &mut Patience,
        ask: &mut Ask<'_>,
    ) -> bool {
        let mut is_new = false;
        let mut members: Vec<Member> = values.keys().copied().collect();
        members.sort_unstable();
        for member in members {
            let (before, here, after) = values[&member];
            let known = self.strides.get(&member).copied();
            let is_single = !matches!(member.1, Item::World(_) | Item::Memory(_));
            if !is_single || known.is_none() && self.irregular.contains(&member) {
                continue;
            }
            let mut stride = match made.terms.sort(here) {
                Sort::Bits(_) => made.terms.constant_difference(after, here),
                _ => None,
            };
            // It may be that whatever changes it ends the loop.
            let may_be_kept = match known {
                Some((0, _)) => true,
                Some(_) => false,
                None => self.is_alone(member) && patience.left > 0,
            };
            if stride.is_none()
                && may_be_kept
                && matches!(made.terms.sort(here), Sort::Bits(_))
                && made.terms.mentions(after, &[here])
            {
                match is_kept(made, numbers, member.0, here, after, ask) {
                    true => stride = Some(0),
                    false => patience.left = patience.left.saturating_sub(1),
                }
            }
            match (known, stride) {
                (None, Some(stride)) => {
                    let record = &made.outcomes.of(member.0).loops[*numbers.of(member.0)];
                    let is_exact = record.exact.contains(&member.1);
                    self.strides.insert(member, (stride, is_exact));
                    for class in &mut self.classes {
                        class.retain(|other| *other != member);
                    }
                    is_new = true;
                }
                (Some((known, _)), stride) if stride != Some(known) => {
                    self.strides.remove(&member);
                    self.irregular.insert(member);
                    // Others may have been taken for the same.
                    let fits = |class: &&mut Vec<Member>| {
                        class.iter().all(|other| {
                            self.irregular.contains(other)
                                && values.get(other).is_some_and(|row| row.0 == before)
                        })
                    };
                    match self.classes.iter_mut().find(fits) {
                        Some(class) => class.push(member),
                        None => self.classes.push(vec![member]),
                    }
                    is_new = true;
                }
                _ => {}
            }
        }
        self.classes.retain(|class| !class.is_empty());
        is_new
    }

    /// Nothing of the other version is in its class.
    fn is_alone(&self, member: Member) -> bool {
        let mut classes = self.classes.iter();
        let class = classes.find(|class| class.contains(&member));
        class.is_some_and(|class| class.iter().all(|other| other.0 == member.0))
    }

    /// Entered alike, and followed by another iteration alike.
    pub fn is_in_lock_step(&self, made: &mut Product, ask: &mut Ask<'_>) -> bool {
        let Some(numbers) = self.numbers(made) else {
            return false;
        };
        let old = &made.outcomes.old.loops[numbers.old];
        let new = &made.outcomes.new.loops[numbers.new];
        let entries = (old.entry.condition, new.entry.condition);
        let again = (old.again, new.again);
        let over = (old.over, new.over);
        let (start, end) = (start_of(made, &numbers), end_of(made, &numbers));
        if !made.is_equal_at(entries.0, entries.1, &start, ask) {
            return false;
        }
        let mut at_end = |old: TermId, new: TermId| {
            made.is_equal_at(old, new, &end, ask) || {
                let equal = made.terms.equal(old, new);
                made.is_related(&numbers, equal, &end, ask)
            }
        };
        let is_same = at_end(again.0, again.1)
            && match over {
                (None, None) => true,
                (Some(old), Some(new)) => at_end(old, new),
                _ => false,
            };
        if is_same {
            made.loop_pairs.push(numbers);
        }
        is_same
    }
}

/// The members of a class, those with equal ends together.
fn parts_of(
    class: &[Member],
    values: &FxHashMap<Member, Values>,
    ends: impl Fn(Values) -> Ends,
) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for member in class {
        let Some(row) = values.get(member) else {
            continue;
        };
        let ends = ends(*row);
        match parts.iter_mut().find(|part| part.ends == ends) {
            Some(part) => part.members.push(*member),
            None => parts.push(Part {
                ends,
                members: vec![*member],
            }),
        }
    }
    parts
}

/// An iteration after which another follows does not change it.
fn is_kept(
    made: &mut Product,
    numbers: &Sides<usize>,
    side: Side,
    here: TermId,
    after: TermId,
    ask: &mut Ask<'_>,
) -> bool {
    let again = made.outcomes.of(side).loops[*numbers.of(side)].again;
    let end = end_of(made, numbers);
    is_equal_between(made, [again, again], (here, after), &end, ask)
}

/// Both versions are about to enter the loops.
pub(super) fn start_of(made: &Product, numbers: &Sides<usize>) -> Place {
    let old = &made.outcomes.old.loops[numbers.old];
    let new = &made.outcomes.new.loops[numbers.new];
    Place {
        around: Sides {
            old: old.within,
            new: new.within,
        },
        known: Sides {
            old: old.at_entry,
            new: made.known_of_new(new.at_entry),
        },
    }
}

/// Both versions are at the end of an iteration.
pub(super) fn end_of(made: &Product, numbers: &Sides<usize>) -> Place {
    Place {
        around: Sides {
            old: Some(numbers.old),
            new: Some(numbers.new),
        },
        known: Sides {
            old: made.outcomes.old.loops[numbers.old].at_end,
            new: made.known_of_new(made.outcomes.new.loops[numbers.new].at_end),
        },
    }
}

/// Puts parts of different versions together that a solver shows equal.
fn merge(
    made: &mut Product,
    numbers: &Sides<usize>,
    parts: &mut Vec<Part>,
    patience: &mut Patience,
    ask: &mut Ask<'_>,
) {
    let mut at = 1;
    while at < parts.len() {
        let mut into = None;
        for other in 0..at {
            let misses = |side: Side| parts[other].has(side) != parts[at].has(side);
            if patience.left == 0 || !misses(Side::Old) || !misses(Side::New) {
                continue;
            }
            if are_equal(made, numbers, parts[other].ends, parts[at].ends, ask) {
                into = Some(other);
                break;
            }
            patience.left -= 1;
        }
        match into {
            Some(other) => {
                let part = parts.remove(at);
                parts[other].members.extend(part.members);
            }
            None => at += 1,
        }
    }
}

/// Equal before the loop if it is entered, and after an iteration if another follows.
fn are_equal(
    made: &mut Product,
    numbers: &Sides<usize>,
    left: Ends,
    right: Ends,
    ask: &mut Ask<'_>,
) -> bool {
    let old = &made.outcomes.old.loops[numbers.old];
    let new = &made.outcomes.new.loops[numbers.new];
    let entered = [old.entry.condition, new.entry.condition];
    let again = [old.again, new.again];
    let start = start_of(made, numbers);
    let end = end_of(made, numbers);
    is_equal_between(made, entered, (left.0, right.0), &start, ask)
        && (is_equal_between(made, again, (left.1, right.1), &end, ask)
            || are_alike_by_relations(made, numbers, (left.1, right.1), ask))
}

/// The same is written to the same places, or computed from what is read there, as relations between
/// the loops say.
fn are_alike_by_relations(
    made: &mut Product,
    numbers: &Sides<usize>,
    (left, right): Ends,
    ask: &mut Ask<'_>,
) -> bool {
    let alike = match made.terms.sort(left) {
        Sort::Memory => made.alike_by_cases(left, right),
        _ => Some(made.terms.equal(left, right)),
    };
    let Some(alike) = alike else {
        return false;
    };
    // Numbers that are equal by a linear relation alone need not be one symbol.
    if made.terms.sort(left) != Sort::Memory && made.congruences(alike).is_empty() {
        return false;
    }
    let old = &made.outcomes.old.loops[numbers.old];
    let new = &made.outcomes.new.loops[numbers.new];
    let again = made.terms.and([old.again, new.again]);
    let claim = made.terms.implies(again, alike);
    let end = end_of(made, numbers);
    made.terms.as_boolean(claim) == Some(true) || made.is_related(numbers, claim, &end, ask)
}

fn is_equal_between(
    made: &mut Product,
    conditions: [TermId; 2],
    (left, right): (TermId, TermId),
    place: &Place,
    ask: &mut Ask<'_>,
) -> bool {
    if left == right {
        return true;
    }
    let both = made.terms.and(conditions);
    let equal = made.terms.equal(left, right);
    let claim = made.terms.implies(both, equal);
    made.follows_at(claim, place, ask)
}

//! **Question.** Which pairs of functions of two versions of a program do the same?
//!
//! **Source.** Bottom-up over the call graph: a pair is compared with the pairs that it calls as
//! function symbols where they are equivalent, and entered where they are not (decomposition of
//! regression verification, Godlin and Strichman 2009). Pairs that call each other are assumed
//! equivalent together, and each is dropped that cannot be shown to be.
//!
//! **Rules.** A pair without a source whose callees are all equivalent is equivalent: it is the same
//! code over the same functions, unless it names a fixed value that changed
//! ([`crate::fixed_values`]) or accesses memory elsewhere as seen from what frees it
//! ([`crate::accesses_in_place`]).
//!
//! **Soundness.** A set of mutually recursive pairs is equivalent if each is, given the others: by
//! induction over the depth of calls. What signal handlers and threads may touch at any time:
//! [`crate::symbolic::Others`].
//!
//! **Cost.** One comparison a pair that changed or calls one that is not equivalent.

use crate::accesses_in_place::are_in_place;
use crate::equivalence::{Comparison, compare};
use crate::fixed_values::{NamesOfFixed, names_of_fixed};
use crate::lifetimes::Lifetimes;
use crate::product::{Ask, Compared, Subject};
use crate::same_values::{SameValues, same_values};
use crate::symbolic::{CalleeView, Others, Undecided};
use crate::unseen_variables::seen_variables;
use fixedbitset::FixedBitSet;
use knockon_change::{Change, FunctionPair, PairId, Side, Sides, Version, mean_the_same};
use knockon_graphs::{Rows, components};
use knockon_memory::call_graph::CallSiteId;
use knockon_memory::memory_model::MemoryModel;
use knockon_program::{Function, FunctionId, InstructionId, Program, TimeLimit, TypeLayouts};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// What is known of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not looked at, for want of time or interest.
    NotCompared,
    /// The same code over the same functions.
    Same,
    /// Shown to do the same.
    Equivalent,
    /// Not shown.
    Unknown(String),
}

impl Status {
    pub fn is_equivalent(&self) -> bool {
        matches!(self, Status::Same | Status::Equivalent)
    }
}

/// Two versions, and which of their functions are equivalent so far.
pub struct FunctionPairs<'a> {
    pub versions: Sides<Version<'a>>,
    pub change: &'a Change,
    layouts: Sides<TypeLayouts>,
    lifetimes: Sides<Lifetimes>,
    compared: Compared,
    others: Sides<Others>,
    /// When comparisons are to be given up.
    pub limit: TimeLimit<'a>,
    pub statuses: Vec<Status>,
    /// By pair that was compared: what of it is the same, given the same; if that is wanted.
    pub same: Vec<Option<SameValues>>,
    /// Values are compared, too, and not only outputs.
    pub wants_values: bool,
    /// By pair: pairs that it may call, in either version.
    callees: Rows<usize>,
    /// By pair: it may call a function that has no partner.
    calls_unpaired: FixedBitSet,
    /// By pair: all of it is the same code, which need not do the same if what it calls does not.
    same_code: FixedBitSet,
    /// Internal variables that no pointer points to in either version.
    unseen_variables: FxHashSet<String>,
    fixed: NamesOfFixed,
}

/// Callees up to this depth are entered,
const MOST_DEPTH: usize = 3;
/// if they have no more instructions than this.
const MOST_INSTRUCTIONS: usize = 400;

/// Why functions with other attributes are not compared.
const OTHER_MEANING: &str = "it, or what it calls, is compiled for another machine, with other rules of arithmetic or with other attributes, so that equal code need not do the same";

/// Why a function that did not change is not compared.
const NOT_LOOKED_INTO: &str = "it calls what was not shown to be the same, and what is too long or too far down to be entered";

impl<'a> FunctionPairs<'a> {
    pub fn new(
        versions: Sides<Version<'a>>,
        change: &'a Change,
        compared: Compared,
    ) -> FunctionPairs<'a> {
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let mut calls_unpaired = FixedBitSet::with_capacity(change.pairs.len());
        for (number, pair) in change.pairs.iter().enumerate() {
            for side in Side::BOTH {
                let calls = &versions.of(side).memory.calls;
                for site in calls.sites_of(*pair.functions.of(side)) {
                    for callee in entered(*versions.of(side), site) {
                        match change.pair_of.of(side)[callee.index()] {
                            Some(PairId(callee)) => edges.push((number, callee as usize)),
                            None => calls_unpaired.insert(number),
                        }
                    }
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let variables = [versions.old.program, versions.new.program].map(seen_variables);
        let [old, new] = &variables;
        let unseen = old.unseen.iter().chain(&new.unseen);
        let unseen = unseen.filter(|name| !old.seen.contains(*name) && !new.seen.contains(*name));
        let unseen_variables = unseen.cloned().collect();
        let lifetimes = Sides {
            old: Lifetimes::new(versions.old),
            new: Lifetimes::new(versions.new),
        };
        let mut same_code = FixedBitSet::with_capacity(change.pairs.len());
        for (number, pair) in change.pairs.iter().enumerate() {
            let is_same = pair.is_without_source()
                && pair.same_interface
                && are_in_place(&versions, &lifetimes, pair, compared);
            same_code.set(number, is_same);
        }
        FunctionPairs {
            versions,
            change,
            layouts: Sides {
                old: TypeLayouts::new(versions.old.program),
                new: TypeLayouts::new(versions.new.program),
            },
            lifetimes,
            compared,
            others: Sides {
                old: Others::of(versions.old),
                new: Others::of(versions.new),
            },
            limit: TimeLimit::NONE,
            statuses: vec![Status::NotCompared; change.pairs.len()],
            same: vec![None; change.pairs.len()],
            wants_values: true,
            callees: Rows::from_pairs(change.pairs.len(), &edges),
            calls_unpaired,
            same_code,
            unseen_variables,
            fixed: names_of_fixed(versions, change),
        }
    }

    /// Pairs that are not the same code over what did not change.
    pub fn changed(&self) -> Vec<usize> {
        let pairs = 0..self.change.pairs.len();
        pairs.filter(|number| self.is_changed(*number)).collect()
    }

    /// The pair is not the same code, may call what has no partner, or names a variable that differs
    /// in what is part of the program.
    fn is_changed(&self, number: usize) -> bool {
        let pair = &self.change.pairs[number];
        !self.same_code.contains(number)
            || self.calls_unpaired.contains(number)
            || names(&self.fixed.constants, pair)
            || names(&self.fixed.unwritten, pair)
            // What only the new version may not do counts where functions are compared.
            || self.compared == Compared::Functions && names(&self.fixed.narrowed, pair)
    }

    /// By pair: over how many calls it leads to a changed one, or is called from one;
    /// `usize::MAX` if it does not.
    pub fn distances(&self) -> Vec<usize> {
        let callers = self.callees.reversed();
        let mut distances = vec![usize::MAX; self.statuses.len()];
        for ways in [&self.callees, &callers] {
            let mut queue: VecDeque<(usize, usize)> =
                self.changed().into_iter().map(|pair| (pair, 0)).collect();
            let mut seen = FixedBitSet::with_capacity(self.statuses.len());
            while let Some((pair, distance)) = queue.pop_front() {
                if seen.put(pair) {
                    continue;
                }
                distances[pair] = distances[pair].min(distance);
                queue.extend(ways.of(pair).iter().map(|next| (*next, distance + 1)));
            }
        }
        distances
    }

    /// Nothing is known of any pair.
    pub fn forget(&mut self) {
        self.statuses.fill(Status::NotCompared);
        self.same.fill(None);
    }

    /// Looks at all pairs that are wanted and were not compared, callees first.
    pub fn infer(&mut self, is_wanted: impl Fn(usize) -> bool, ask: &mut Ask<'_>) {
        let components = components(&self.callees);
        // Callers have smaller numbers than what they call.
        for component in (0..components.count()).rev() {
            let members: Vec<usize> = components.members.of(component).to_vec();
            self.settle(&members, &is_wanted, ask);
        }
    }

    /// Looks at pairs that call each other. What failed before does so for good: all that calls it
    /// without a change of its own was assumed to be the same then.
    fn settle(&mut self, members: &[usize], is_wanted: &impl Fn(usize) -> bool, ask: &mut Ask<'_>) {
        let is_open = |member: &usize| self.statuses[*member] == Status::NotCompared;
        let is_begun = !members.iter().all(is_open);
        let mut open = members.iter().filter(|member| is_open(member));
        let is_due = match is_begun {
            true => open.any(|member| is_wanted(*member)),
            false => true,
        };
        if !is_due {
            return;
        }
        for member in members {
            if !matches!(self.statuses[*member], Status::Unknown(_)) {
                self.statuses[*member] = Status::Equivalent;
            }
        }
        loop {
            let mut failed = None;
            for member in members {
                if !self.statuses[*member].is_equivalent() {
                    continue;
                }
                let (status, same) = self.status_of(*member, is_wanted(*member), ask);
                self.same[*member] = same;
                let is_equivalent = status.is_equivalent();
                self.statuses[*member] = status;
                if !is_equivalent {
                    failed = Some(*member);
                    break;
                }
            }
            if failed.is_none() {
                break;
            }
        }
        // What a pair that failed was seen with assumed too much of those that failed after it, and
        // of itself. Without that, with all of them entered, little is shown for much time.
        let calls_itself = |member: &usize| self.callees.of(*member).contains(member);
        if members.len() > 1 || members.iter().any(calls_itself) {
            for member in members {
                if !self.statuses[*member].is_equivalent() {
                    self.same[*member] = None;
                }
            }
        }
    }

    /// Of one pair, given what is known or assumed of what it calls.
    fn status_of(
        &self,
        number: usize,
        is_wanted: bool,
        ask: &mut Ask<'_>,
    ) -> (Status, Option<SameValues>) {
        let pair = &self.change.pairs[number];
        let callees = self.callees.of(number).iter();
        let all_equivalent = callees
            .clone()
            .all(|callee| self.statuses[*callee].is_equivalent());
        if all_equivalent && !self.is_changed(number) {
            return (Status::Same, None);
        }
        if !is_wanted {
            return (Status::NotCompared, None);
        }
        if self.looks_into_unwritten(number) {
            let reason = "it names a variable that nothing writes and that has another value";
            return (Status::Unknown(reason.to_owned()), None);
        }
        if self.same_code.contains(number) && !self.looks_into_all_below(number) {
            return (Status::Unknown(NOT_LOOKED_INTO.to_owned()), None);
        }
        if !self.means_the_same(number) {
            return (Status::Unknown(OTHER_MEANING.to_owned()), None);
        }
        match self.compare(number, ask) {
            Err(reason) => (Status::Unknown(reason.to_string()), None),
            Ok(mut comparison) => {
                let status = match comparison.is_equivalent() {
                    true => Status::Equivalent,
                    false => Status::Unknown(differences(&comparison)),
                };
                let old = self.versions.old.program.function(pair.functions.old);
                let body = old.body.as_deref().filter(|_| self.wants_values);
                let is_recursive = Side::BOTH.into_iter().any(|side| {
                    let function = *pair.functions.of(side);
                    may_lead_to_itself(self.versions.of(side).memory, function)
                });
                let same =
                    body.map(|body| same_values(&mut comparison, pair, body, is_recursive, ask));
                (status, same)
            }
        }
    }

    /// The pair, or what it calls and is entered with it, names a variable that nothing writes and that
    /// has another value.
    fn looks_into_unwritten(&self, number: usize) -> bool {
        let pair = &self.change.pairs[number];
        let fixed = &self.fixed.unwritten;
        Side::BOTH.into_iter().any(|side| {
            if fixed.of(side).is_clear() {
                return false;
            }
            let is_naming = |function: FunctionId| fixed.of(side).contains(function.index());
            let own = *pair.functions.of(side);
            let mut found = is_naming(own);
            self.each_below(side, own, |callee, view| {
                found |= matches!(view, CalleeView::Inside) && is_naming(callee);
            });
            found
        })
    }

    /// Equal code does the same wherever it stands in the pair and in what is entered with it.
    fn means_the_same(&self, number: usize) -> bool {
        let pair = &self.change.pairs[number];
        let mut functions: Vec<(&Program, &Function)> = Vec::new();
        for side in Side::BOTH {
            let program = self.versions.of(side).program;
            let own = *pair.functions.of(side);
            functions.push((program, program.function(own)));
            self.each_below(side, own, |callee, view| {
                if matches!(view, CalleeView::Inside) {
                    functions.push((program, program.function(callee)));
                }
            });
        }
        mean_the_same(functions.into_iter().filter(|row| row.1.body.is_some()))
    }

    /// All that a pair calls and that is not shown to be the same is entered. Of a function that did
    /// not change itself, and calls something that is not, nothing can be shown that dataflow does not
    /// know: what such a call gives and leaves is not the same in any two activations.
    fn looks_into_all_below(&self, number: usize) -> bool {
        let pair = &self.change.pairs[number];
        Side::BOTH.into_iter().all(|side| {
            let mut all = true;
            self.each_below(side, *pair.functions.of(side), |_, view| {
                all &= !matches!(view, CalleeView::Own);
            });
            all
        })
    }

    /// Visits what a function calls, and what is called there as far as it is entered.
    fn each_below(
        &self,
        side: Side,
        function: FunctionId,
        mut visit: impl FnMut(FunctionId, &CalleeView),
    ) {
        let version = *self.versions.of(side);
        let mut seen: FxHashSet<(FunctionId, usize)> = FxHashSet::default();
        let mut work = vec![(function, 0)];
        while let Some((function, depth)) = work.pop() {
            if !seen.insert((function, depth)) {
                continue;
            }
            for site in version.memory.calls.sites_of(function) {
                for callee in entered(version, site) {
                    let view = self.view(side, callee, depth + 1);
                    visit(callee, &view);
                    if matches!(view, CalleeView::Inside) {
                        work.push((callee, depth + 1));
                    }
                }
            }
        }
    }

    /// Compares one pair, given what is known of the others.
    pub fn compare(&self, number: usize, ask: &mut Ask<'_>) -> Result<Comparison, Undecided> {
        let pair = &self.change.pairs[number];
        let view =
            |side: Side, function: FunctionId, depth: usize| self.view(side, function, depth);
        let function_name = |side: Side, function: FunctionId| {
            let pair = self.change.pair_of.of(side)[function.index()]?;
            Some(self.pair_name(pair.0 as usize))
        };
        let shared_nodes = |side: Side, function: FunctionId, node: InstructionId| {
            let partner = self.change.partner_of_node(side, function, node)?;
            Some(match side {
                Side::Old => node,
                Side::New => partner,
            })
        };
        compare(
            &Subject {
                versions: self.versions,
                layouts: Sides {
                    old: &self.layouts.old,
                    new: &self.layouts.new,
                },
                others: Sides {
                    old: &self.others.old,
                    new: &self.others.new,
                },
                moved_positions: &self.change.moved_positions,
                limit: self.limit,
                functions: pair.functions,
                view: &view,
                function_name: &function_name,
                shared_nodes: &shared_nodes,
                compared: self.compared,
                lifetimes: Sides {
                    old: &self.lifetimes.old,
                    new: &self.lifetimes.new,
                },
                parameters: self.parameter_names(pair),
                unseen_variables: &self.unseen_variables,
            },
            ask,
        )
    }

    fn parameter_names(&self, pair: &FunctionPair) -> Sides<Vec<String>> {
        let names = |side: Side| {
            let function = *pair.functions.of(side);
            let program = self.versions.of(side).program;
            let count = program.function(function).parameters.len() as u32;
            (0..count)
                .map(
                    |number| match (side, pair.partner_of_parameter(side, number)) {
                        (Side::Old, Some(_)) => format!("parameter {number}"),
                        (Side::New, Some(old)) => format!("parameter {old}"),
                        (Side::Old, None) => format!("old parameter {number}"),
                        (Side::New, None) => format!("new parameter {number}"),
                    },
                )
                .collect()
        };
        Sides {
            old: names(Side::Old),
            new: names(Side::New),
        }
    }

    fn pair_name(&self, number: usize) -> String {
        let pair = &self.change.pairs[number];
        let name = self.versions.new.program.function_name(pair.functions.new);
        format!("{name} #{number}")
    }

    fn view(&self, side: Side, function: FunctionId, depth: usize) -> CalleeView {
        let version = self.versions.of(side);
        if let Some(PairId(number)) = self.change.pair_of.of(side)[function.index()] {
            let number = number as usize;
            let pair = &self.change.pairs[number];
            if self.statuses[number].is_equivalent() && pair.same_interface {
                return CalleeView::Shared(self.pair_name(number));
            }
        }
        let row = version.program.function(function);
        if row.linkage.gives_way() {
            return CalleeView::Own;
        }
        let size = row.body.as_deref();
        let size = size.map_or(usize::MAX, |body| body.instructions.len());
        match depth <= MOST_DEPTH && size <= MOST_INSTRUCTIONS {
            true => CalleeView::Inside,
            false => CalleeView::Own,
        }
    }
}

/// Another activation of the function may run before this one is over.
fn may_lead_to_itself(memory: &MemoryModel, function: FunctionId) -> bool {
    if memory.meanwhile.may_run(function) {
        return true;
    }
    let (calls, regions) = (&memory.calls, &memory.regions);
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut work = vec![function];
    while let Some(caller) = work.pop() {
        for site in calls.sites_of(caller) {
            let now = calls
                .targets
                .of(site)
                .iter()
                .chain(calls.callbacks.of(site));
            for callee in now.chain(regions.registered(site)) {
                if *callee == function {
                    return true;
                }
                if seen.insert(*callee) {
                    work.push(*callee);
                }
            }
        }
    }
    false
}

/// One version of a pair is among the functions.
fn names(functions: &Sides<FixedBitSet>, pair: &FunctionPair) -> bool {
    let mut sides = Side::BOTH.into_iter();
    sides.any(|side| functions.of(side).contains(pair.functions.of(side).index()))
}

/// The functions that a call may enter.
fn entered(version: Version<'_>, site: CallSiteId) -> impl Iterator<Item = FunctionId> + '_ {
    let entered = version.memory.regions.entered(&version.memory.calls, site);
    entered.map(|row| row.0)
}

/// What was not shown to be the same.
fn differences(comparison: &Comparison) -> String {
    let mut parts = Vec::new();
    let rows = [
        (comparison.same_returning, "whether it returns"),
        (comparison.same_result, "what it returns"),
        (comparison.same_memory, "what it writes"),
        (
            comparison.same_world.iter().all(|part| *part),
            "what it does to the world",
        ),
        (comparison.same_leaving, "how it ends the program"),
        (
            comparison.same_definedness,
            "whether its behaviour is defined",
        ),
    ];
    for (is_same, what) in rows {
        if !is_same {
            parts.push(what);
        }
    }
    format!("not shown to be the same: {}", parts.join(", "))
}

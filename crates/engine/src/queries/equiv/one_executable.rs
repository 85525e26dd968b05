//! One executable: verdicts for the functions that are wanted of it, cheapest first.

use super::asking::{Asking, Effort, Found, latest};
use super::reached::{named, reached, repeating};
use super::running::run;
use super::settling::{Knowledge, is_called_alike, starts_seen};
use super::unpaired::{unpaired, version_name};
use super::{Asked, EquivOptions, Judged, Permission, paired};
use crate::error::EngineError;
use crate::read::versions::ReadVersions;
use knockon_change::{Change, Side, Sides, Version};
use knockon_logic::solver::{Limits, Solvers};
use knockon_logic::terms::{TermId, Terms};
use knockon_proof::fixed_values::{OtherStart, other_starts};
use knockon_proof::function_pairs::{FunctionPairs, Status};
use knockon_proof::product::Compared;
use knockon_report::EquivVerdict;
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The effort of a question before anything is run,
const QUICK_EFFORT: u64 = 200_000;
/// and this is the limit of questions that may remain open then.
const MAX_UNANSWERED: usize = 6;

/// What is known of one executable, step by step.
pub(super) struct OneExecutable<'x, 'c> {
    versions: &'x ReadVersions,
    options: &'x EquivOptions<'c>,
    solvers: &'x mut Solvers<'c>,
    change: &'x Change,
    pairs: FunctionPairs<'x>,
    /// The pairs that are asked about, and a verdict on each as soon as runs were tried.
    wanted: Vec<usize>,
    rows: Vec<Judged>,
    /// The pairs that proofs of the wanted ones need.
    needed: FxHashSet<usize>,
    /// The pair that is compared.
    current: Cell<usize>,
    /// Pairs with a question that no solver answered.
    given_up: FxHashSet<usize>,
}

impl<'x, 'c: 'x> OneExecutable<'x, 'c> {
    pub(super) fn new(
        versions: &'x ReadVersions,
        (analysed, change): (Sides<Version<'x>>, &'x Change),
        solvers: &'x mut Solvers<'c>,
        options: &'x EquivOptions<'c>,
    ) -> OneExecutable<'x, 'c> {
        let mut pairs = FunctionPairs::new(analysed, change, Compared::Functions);
        pairs.limit = options.budget.limit();
        pairs.wants_values = false;
        solvers.set_limit(options.budget.limit());
        OneExecutable {
            versions,
            options,
            solvers,
            change,
            pairs,
            wanted: Vec::new(),
            rows: Vec::new(),
            needed: FxHashSet::default(),
            current: Cell::new(0),
            given_up: FxHashSet::default(),
        }
    }

    /// What is asked about, all that changed if nothing is; by number of the question whether its
    /// functions are here.
    pub(super) fn choose(&mut self, asked: &[Asked]) -> Vec<Result<(), EngineError>> {
        let found: Vec<_> = asked.iter().map(|one| paired(&self.pairs, one)).collect();
        self.wanted = match asked.is_empty() {
            true => self.pairs.changed(),
            false => found.iter().flatten().copied().collect(),
        };
        self.needed = reached(&self.pairs, &self.wanted).pairs;
        found.into_iter().map(|found| found.map(|_| ())).collect()
    }

    /// Pairs whose terms are the same.
    pub(super) fn by_terms(&mut self) {
        let (needed, current) = (&self.needed, &self.current);
        let budget = self.options.budget;
        let is_needed = |pair: usize| {
            current.set(pair);
            needed.contains(&pair) && budget.check().is_ok()
        };
        self.pairs
            .infer(is_needed, &mut |_: &Terms, _: &[TermId]| false);
    }

    /// Pairs that a solver shows to do the same in a moment.
    pub(super) fn by_quick_questions(&mut self) {
        let statuses = &self.pairs.statuses;
        let mut wanted = self.wanted.iter();
        if wanted.all(|pair| statuses[*pair].is_equivalent()) {
            return;
        }
        self.ask(Effort {
            limits: Limits {
                effort: self.options.limits.effort.min(QUICK_EFFORT),
                ..self.options.limits
            },
            max_unanswered: MAX_UNANSWERED,
            wants_proposals: false,
        });
    }

    /// Pairs that a run tells apart, on inputs made for them.
    pub(super) fn by_runs(&mut self) {
        for pair in &self.wanted {
            let mut one = Judged::new(&self.pairs, *pair);
            if matches!(self.pairs.statuses[*pair], Status::Unknown(_)) {
                let pairs = &self.pairs;
                one.example = run(self.versions, pairs, *pair, &[], self.options, &mut one.row);
            }
            self.rows.push(one);
        }
    }

    /// With all effort, and invariants that are proposed; what models describe instead of a proof is
    /// run.
    pub(super) fn by_all_effort(&mut self) {
        let mut open = (0..self.rows.len()).filter(|at| self.is_open(*at));
        if open.next().is_none() {
            return;
        }
        let found = self.ask(Effort {
            limits: self.options.limits,
            max_unanswered: usize::MAX,
            wants_proposals: true,
        });
        self.given_up = found.given_up;
        let starts = latest(found.starts);
        if self.options.permission != Permission::Granted || starts.is_empty() {
            return;
        }
        for at in 0..self.rows.len() {
            if self.is_open(at) {
                let (pairs, pair) = (&self.pairs, self.wanted[at]);
                let row = &mut self.rows[at].row;
                let example = run(self.versions, pairs, pair, &starts, self.options, row);
                self.rows[at].example = example;
            }
        }
    }

    /// What proofs say of those that no run told apart; the verdicts, and what is to be known beside
    /// them where nothing was asked about.
    pub(super) fn settle(mut self, asks_for_all: bool) -> (Vec<Judged>, BTreeSet<String>) {
        let repeating = repeating(self.pairs.versions);
        let other_starts = other_starts(self.pairs.versions, self.change);
        for (pair, one) in self.wanted.iter().zip(&mut self.rows) {
            if one.row.verdict == EquivVerdict::Different {
                continue;
            }
            let reached = reached(&self.pairs, &[*pair]);
            let mut needed = reached.pairs.iter();
            one.settle(&Knowledge {
                status: &self.pairs.statuses[*pair],
                is_called_alike: is_called_alike(&self.pairs, *pair),
                may_not_end: reached.meets(&repeating),
                is_given_up: needed.any(|pair| self.given_up.contains(pair)),
                starts: starts_seen(&reached, &other_starts),
                options: self.options,
            });
        }
        let mut notes = BTreeSet::new();
        if asks_for_all {
            let unpaired = unpaired(&self.pairs, self.versions.account.complete());
            self.rows.extend(unpaired.rows);
            for side in Side::BOTH {
                let names = unpaired.internal.of(side).iter();
                let version = version_name(side);
                notes.extend(names.map(|name| {
                    format!("only the {version} version has `{name}`, which is static")
                }));
            }
            let all: Vec<&OtherStart> = other_starts.iter().collect();
            if !all.is_empty() {
                notes.insert(format!(
                    "functions are compared given the same values of variables, and these start with another one: {}",
                    named(&all)
                ));
            }
        }
        (self.rows, notes)
    }

    /// Neither told apart nor shown to do the same.
    fn is_open(&self, at: usize) -> bool {
        let status = &self.pairs.statuses[self.wanted[at]];
        self.rows[at].row.verdict != EquivVerdict::Different && !status.is_equivalent()
    }

    /// Asks the solver about all that is needed; what it found instead of proofs.
    fn ask(&mut self, effort: Effort) -> Found {
        let (needed, current) = (&self.needed, &self.current);
        let budget = self.options.budget;
        let is_needed = |pair: usize| {
            current.set(pair);
            needed.contains(&pair) && budget.check().is_ok()
        };
        let mut asking = Asking {
            solvers: self.solvers,
            effort,
            budget,
            pair: current,
            unanswered: 0,
            found: Found::default(),
        };
        self.pairs.forget();
        self.pairs.infer(is_needed, &mut asking);
        asking.found
    }
}

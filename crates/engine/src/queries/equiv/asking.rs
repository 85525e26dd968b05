//! Questions to the solvers about pairs of functions, within the budget, and what they found instead
//! of proofs.

use crate::budget::Budget;
use knockon_dynamic::modelled::Start;
use knockon_logic::solver::{Answer, Limits, Solvers};
use knockon_logic::terms::{TermId, Terms};
use knockon_proof::given::{Given, given};
use knockon_proof::product::Questions;
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// What an invariant may cost to propose. Where there is one, it is mostly found in a twentieth of
/// this.
const PROPOSAL_EFFORT: u64 = 1_000_000;

/// A question is put to a solver in several ways, one after the other: each of them may take so small
/// a part of the time that is left.
const WAYS: u32 = 4;

/// How hard a proof is tried for.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) limits: Limits,
    /// After so many questions that were not answered with yes, no more are asked.
    pub(super) max_unanswered: usize,
    /// Where what is known is not enough, invariants are looked for.
    pub(super) wants_proposals: bool,
}

/// What was found instead of proofs.
#[derive(Default)]
pub(super) struct Found {
    pub(super) starts: Vec<Start>,
    /// Pairs with a question that no solver answered.
    pub(super) given_up: FxHashSet<usize>,
}

/// Solvers, and what they found instead of proofs.
pub(super) struct Asking<'a, 'c> {
    pub(super) solvers: &'a mut Solvers<'c>,
    pub(super) effort: Effort,
    pub(super) budget: Budget<'c>,
    /// The pair that is compared.
    pub(super) pair: &'a Cell<usize>,
    pub(super) unanswered: usize,
    pub(super) found: Found,
}

impl Asking<'_, '_> {
    fn limits(&self) -> Limits {
        let Limits { effort, time } = self.effort.limits;
        Limits {
            effort,
            time: self.budget.left(time.saturating_mul(WAYS)) / WAYS,
        }
    }
}

impl Questions for Asking<'_, '_> {
    fn refutes(&mut self, terms: &Terms, assertions: &[TermId]) -> bool {
        if self.unanswered >= self.effort.max_unanswered || self.budget.check().is_err() {
            return false;
        }
        match self.solvers.decide(terms, assertions, self.limits()) {
            Answer::Unsatisfiable => return true,
            Answer::Satisfiable(model) => self.found.starts.push(start(given(terms, &model))),
            Answer::Unknown(_) => {
                self.found.given_up.insert(self.pair.get());
            }
        }
        self.unanswered += 1;
        false
    }

    fn is_over(&self) -> bool {
        self.budget.check().is_err()
    }

    fn proposes(&self) -> bool {
        self.effort.wants_proposals && self.budget.check().is_ok()
    }

    fn invariant(&mut self, clauses: &str) -> Option<String> {
        if !self.proposes() {
            return None;
        }
        let limits = Limits {
            effort: self.effort.limits.effort.min(PROPOSAL_EFFORT),
            ..self.limits()
        };
        self.solvers.invariant(clauses, limits)
    }
}

/// So many models are followed; the last ones, since what is asked last is about the whole function.
const MAX_MODELS: usize = 60;

pub(super) fn latest(mut starts: Vec<Start>) -> Vec<Start> {
    starts.reverse();
    starts.truncate(MAX_MODELS);
    starts
}

fn start(given: Given) -> Start {
    Start {
        parameters: given.parameters,
        bytes: given.memory.others,
        rest: given.memory.rest,
        globals: given.globals,
    }
}

//! The proofs about one executable: which functions do the same, and what is the same in the others.
//!
//! A pair of functions is compared once; a later level goes on with what is proved. Where a level has
//! nothing new to compare, the last one has come.

use super::solvers::remembering;
use crate::budget::{Budget, Stop};
use knockon_change::{Change, Side, Sides, Version};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::propagation::Sameness;
use knockon_impact::semantic_impact::add_same_values;
use knockon_logic::solver::{
    Decision, Limits, SolverError, SolverOptions, Solvers, installed_solvers,
};
use knockon_logic::terms::{TermId, Terms};
use knockon_program::FunctionId;
use knockon_proof::function_pairs::{FunctionPairs, Status};
use knockon_proof::product::{Compared, Questions};
use knockon_proof::same_values::SameValues;
use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

/// What one question to a solver may cost about a function that changed, until one had another
/// answer than yes: most that change behaviour are never shown, and none of them is to cost more
/// than one such answer,
const ABOUT_CHANGED: Limits = Limits {
    effort: 1_000_000,
    time: Duration::from_secs(3),
};
/// what others may cost,
const ABOUT_OTHERS: Limits = Limits {
    effort: 200_000,
    time: Duration::from_secs(1),
};
/// and what an invariant of a function that changed may cost to propose.
const PROPOSAL: Limits = Limits {
    effort: 300_000,
    time: Duration::from_secs(1),
};

/// So many questions about one pair of functions may remain unanswered.
const MOST_UNANSWERED: u32 = 3;

/// Why a pair was not compared.
pub const OUT_OF_TIME: &str = "not compared, since the time was up";
/// What a solver said of a pair: of the values that the proof knows.
const REFUTED: &str =
    "a solver has values that tell them apart, of which it is not known that they occur";
const UNANSWERED: &str = "no solver answered in the time allowed";

/// The proofs about one executable.
pub struct Proofs<'a> {
    pairs: FunctionPairs<'a>,
    distances: Vec<usize>,
    /// By pair: what solvers said that was no proof.
    failures: Vec<Failures>,
    /// What was shown when [`Proofs::shows_more`] was last asked.
    told: Vec<Option<SameValues>>,
}

/// What solvers said of a pair of functions that was no proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Failures {
    /// There are values for which outputs are not the same.
    refuted: bool,
    /// There was no answer.
    unanswered: bool,
}

/// Solver processes for all proofs of a run; none where there is no solver.
pub struct Prover<'c> {
    solvers: Option<Solvers<'c>>,
    /// Why there is none.
    pub missing: Option<SolverError>,
}

impl<'c> Prover<'c> {
    /// With what is known of queries there.
    pub fn new(decided_queries: Option<&Path>) -> Prover<'c> {
        // One is enough, and asked twice: a second program would have to agree in time, and the
        // answers would depend on what a machine has.
        let options = SolverOptions {
            programs: installed_solvers().into_iter().take(1).collect(),
            cache: decided_queries.map(Path::to_owned),
            ..SolverOptions::default()
        };
        match remembering(options) {
            Ok(solvers) => Prover {
                solvers: Some(solvers),
                missing: None,
            },
            Err(error) => Prover {
                solvers: None,
                missing: Some(error),
            },
        }
    }
}

/// Which pair is compared.
#[derive(Default)]
struct Progress {
    pair: Cell<usize>,
    /// Its questions that had another answer than yes. Where several had, more of the kind will.
    unanswered: Cell<u32>,
}

/// The solvers, asked about pairs of functions.
struct Asking<'s, 'c> {
    solvers: Option<&'s mut Solvers<'c>>,
    budget: Budget<'c>,
    progress: &'s Progress,
    distances: &'s [usize],
    failures: &'s mut [Failures],
    /// The question is whether an output is the same: what else is asked about only helps, and a no
    /// says nothing of the functions.
    is_about_output: bool,
}

impl Asking<'_, '_> {
    fn is_about_changed(&self) -> bool {
        self.distances[self.progress.pair.get()] == 0
    }

    fn has_given_up(&self) -> bool {
        self.progress.unanswered.get() >= MOST_UNANSWERED || self.budget.check().is_err()
    }
}

impl Questions for Asking<'_, '_> {
    fn refutes(&mut self, terms: &Terms, assertions: &[TermId]) -> bool {
        let limits = match self.is_about_changed() && self.progress.unanswered.get() == 0 {
            true => ABOUT_CHANGED,
            false => ABOUT_OTHERS,
        };
        if self.has_given_up() {
            return false;
        }
        let Some(solvers) = &mut self.solvers else {
            return false;
        };
        let failures = &mut self.failures[self.progress.pair.get()];
        match solvers.decide_without_model(terms, assertions, limits) {
            Decision::Unsatisfiable => return true,
            Decision::Satisfiable => failures.refuted |= self.is_about_output,
            Decision::GivenUp => failures.unanswered = true,
        }
        self.progress
            .unanswered
            .set(self.progress.unanswered.get() + 1);
        false
    }

    fn is_over(&self) -> bool {
        self.budget.check().is_err()
    }

    fn is_about_output(&mut self, is_so: bool) {
        self.is_about_output = is_so;
    }

    fn proposes(&self) -> bool {
        self.is_about_changed() && !self.has_given_up()
    }

    fn invariant(&mut self, clauses: &str) -> Option<String> {
        match self.proposes() {
            true => self.solvers.as_mut()?.invariant(clauses, PROPOSAL),
            false => None,
        }
    }
}

impl<'a> Proofs<'a> {
    pub fn new(versions: Sides<Version<'a>>, change: &'a Change) -> Proofs<'a> {
        let pairs = FunctionPairs::new(versions, change, Compared::Lines);
        let distances = pairs.distances();
        let failures = vec![Failures::default(); distances.len()];
        let told = vec![None; distances.len()];
        Proofs {
            pairs,
            distances,
            failures,
            told,
        }
    }

    /// Compares what is at most so many calls away from a change, as far as there is time.
    pub fn extend(
        &mut self,
        distance: usize,
        prover: &mut Prover<'a>,
        budget: Budget<'a>,
    ) -> Result<(), Stop> {
        let progress = Progress::default();
        self.pairs.limit = budget.limit();
        if let Some(solvers) = &mut prover.solvers {
            solvers.set_limit(budget.limit());
        }
        let mut asking = Asking {
            solvers: prover.solvers.as_mut(),
            budget,
            progress: &progress,
            distances: &self.distances,
            failures: &mut self.failures,
            is_about_output: false,
        };
        let distances = &self.distances;
        let is_wanted = |pair: usize| {
            progress.unanswered.set(0);
            progress.pair.set(pair);
            distances[pair] <= distance && budget.check().is_ok()
        };
        self.pairs.infer(is_wanted, &mut asking);
        // A pair may have been given up in the middle, so that its status does not tell. Where there
        // was nothing to compare, nothing was broken off.
        match self.distances.iter().any(|own| *own <= distance) {
            true => budget.check(),
            false => Ok(()),
        }
    }

    /// Something else is shown to be the same than when this was last asked.
    pub fn shows_more(&mut self) -> bool {
        let is_more = self.told != self.pairs.same;
        if is_more {
            self.told.clone_from(&self.pairs.same);
        }
        is_more
    }

    /// A larger distance shows no more.
    pub fn is_complete(&self, distance: usize) -> bool {
        let open = self.pairs.statuses.iter().zip(&self.distances);
        let mut open = open.filter(|row| *row.0 == Status::NotCompared);
        !open.any(|row| *row.1 > distance && *row.1 != usize::MAX)
    }

    /// What is the same in each activation that gets the same.
    pub fn sameness(&self, graphs: &Sides<ProgramDependence<'_>>) -> Sameness {
        let mut sameness = Sameness::default();
        for (pair, same) in self.pairs.change.pairs.iter().zip(&self.pairs.same) {
            if let Some(same) = same {
                add_same_values(&mut sameness, (&graphs.old, &graphs.new), pair, same);
            }
        }
        sameness
    }

    /// Whatever runs when the program runs does the same: each function that is called from outside,
    /// on memory that begins alike.
    pub fn is_output_same(&self) -> bool {
        let FunctionPairs {
            change, versions, ..
        } = &self.pairs;
        let begins_alike = change.globals.is_empty()
            && Side::BOTH.map(|side| change.entries.of(side).is_empty()) == [true; 2];
        let does_same = |side: Side, function: &FunctionId| {
            let pair = change.pair_of.of(side)[function.index()];
            pair.is_some_and(|pair| self.pairs.statuses[pair.0 as usize].is_equivalent())
        };
        begins_alike
            && Side::BOTH.into_iter().all(|side| {
                let entries = &versions.of(side).memory.calls.entries;
                let from_outside = entries.constructors.iter().chain(&entries.mains);
                from_outside
                    .chain(&entries.library)
                    .chain(&entries.exit_handlers)
                    .chain(&entries.destructors)
                    .chain(&entries.anytime)
                    .all(|function| does_same(side, function))
            })
    }

    /// Functions of the new version that do the same for their callers: shown, or the same code over
    /// such functions.
    pub fn equivalent(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let pairs = self.pairs.change.pairs.iter().zip(&self.pairs.statuses);
        let shown = pairs.filter(|(_, status)| status.is_equivalent());
        shown.map(|(pair, _)| pair.functions.new)
    }

    /// Functions of the new version that were not shown to do the same, and why not; those that
    /// have nothing to do with the change are not looked at.
    pub fn undecided(&self) -> impl Iterator<Item = (FunctionId, String)> + '_ {
        let pairs = self.pairs.change.pairs.iter().enumerate();
        pairs.filter_map(|(number, pair)| {
            let reason = match &self.pairs.statuses[number] {
                Status::Same | Status::Equivalent => return None,
                Status::NotCompared if self.distances[number] == usize::MAX => return None,
                Status::NotCompared => OUT_OF_TIME.to_owned(),
                Status::Unknown(reason) => match self.failures[number] {
                    Failures { refuted: true, .. } => format!("{reason}; {REFUTED}"),
                    Failures {
                        unanswered: true, ..
                    } => format!("{reason}; {UNANSWERED}"),
                    _ => reason.clone(),
                },
            };
            Some((pair.functions.new, reason))
        })
    }
}

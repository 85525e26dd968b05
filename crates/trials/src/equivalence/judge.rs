//! What does `knockon equiv` say of a pair? The command's own way from two files to a verdict, with
//! solvers that the trial chooses.

use crate::against_clang::HarnessError;
use knockon_build::clang::Clang;
use knockon_engine::budget::Budget;
use knockon_engine::options::{ReadOptions, VersionsOptions};
use knockon_engine::queries::equiv::{Asked, EquivOptions, Permission, equivalence};
use knockon_engine::read::versions::read_versions;
use knockon_engine::{Caller, Cancellation, Events};
use knockon_graphs::UndefinedReads;
use knockon_logic::solver::{Limits, SolverOptions, SolverProgram, Solvers};
use knockon_report::EquivVerdict;
use std::path::Path;
use std::time::{Duration, Instant};

/// For one pair; what is not proved by then is unknown.
const BUDGET: Duration = Duration::from_secs(12);
const EFFORT: u64 = 1_000_000;
const QUESTION_TIME: Duration = Duration::from_secs(2);
/// Inputs that the command makes by itself.
const INPUTS: usize = 2000;
/// A solver that eats memory meets its end sooner than the machine's.
const SOLVER_MEMORY: u64 = 1 << 30;

/// What is said of `f`.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub verdict: EquivVerdict,
    pub reasons: Vec<String>,
    /// The C files that repeat a difference: texts by name.
    pub example: Option<Vec<(String, String)>>,
    pub time: Duration,
}

/// Who judges: `old.c` and `new.c` of a directory.
pub type Judge<'a> = dyn Fn(&Path) -> Result<Judgement, HarnessError> + Sync + 'a;

/// The command's tools.
pub struct Command<'a> {
    pub clang: &'a Clang,
    pub programs: Vec<SolverProgram>,
    /// For what is compiled once and for all.
    pub cache: &'a Path,
}

pub const EXAMPLE: &str = "example.c";

impl Command<'_> {
    pub fn judge(&self, directory: &Path) -> Result<Judgement, HarnessError> {
        let failed = |error: &dyn std::fmt::Display| HarnessError::Frontend(error.to_string());
        let path = |name: &str| Some(format!("path:{}", directory.join(name).display()));
        let request = VersionsOptions {
            old: path("old.c"),
            new: path("new.c"),
            staged: false,
            reading: ReadOptions {
                directory: directory.to_owned(),
                jobs: Some(1),
                no_cache: true,
                ..ReadOptions::default()
            },
        };
        let cancellation = Cancellation::new();
        let caller = Caller {
            cancellation: &cancellation,
            events: Events::ignored(),
        };
        let begin = Instant::now();
        let mut versions = read_versions(&request, UndefinedReads::Kept, caller)
            .map_err(|error| failed(&error))?;
        let mut solvers = Solvers::new(SolverOptions {
            programs: self.programs.clone(),
            memory_limit: SOLVER_MEMORY,
            ..SolverOptions::default()
        })
        .map_err(|error| failed(&error))?;
        let options = EquivOptions {
            budget: Budget::of(BUDGET),
            limits: Limits {
                effort: EFFORT,
                time: QUESTION_TIME,
            },
            permission: Permission::Granted,
            clang: self.clang,
            cache: Some(self.cache),
            inputs: INPUTS,
        };
        let judged = equivalence(&mut versions, &[Asked::parse("f")], &mut solvers, &options);
        drop(solvers);
        let judged = judged.map_err(|error| failed(&error))?;
        let Some(one) = judged.functions.into_iter().next() else {
            return Err(failed(&"the command says nothing of the function"));
        };
        Ok(Judgement {
            verdict: one.row.verdict,
            reasons: one.row.reasons,
            example: one.example.map(|example| example(EXAMPLE)),
            time: begin.elapsed(),
        })
    }
}

//! The solvers that can be driven, how they are started, and how each is told a query.

use super::Limits;
use crate::smt_lib::Query;
use knockon_program::TimeLimit;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverKind {
    Z3,
    Cvc5,
}

/// A program that speaks SMT-LIB on its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverProgram {
    pub kind: SolverKind,
    pub path: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("{0}: not an SMT solver that is known here; z3 and cvc5 are")]
    UnknownKind(String),
    #[error("{0}: no such program on the search path")]
    NotFound(String),
}

/// The way in which a query is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Configuration {
    First,
    /// For a second opinion of the same program.
    Second,
    /// Where that was none.
    Third,
}

/// Everything as bits, for the SAT solver.
const BIT_BLASTING: &str =
    "(then simplify propagate-values solve-eqs bvarray2uf ackermannize_bv simplify bit-blast sat)";

/// Those on the search path (`PATH`), in the order in which they should be asked.
pub fn installed_solvers() -> Vec<SolverProgram> {
    ["z3", "cvc5"]
        .iter()
        .filter_map(|name| SolverProgram::named(name).ok())
        .collect()
}

impl SolverProgram {
    /// A name to be looked for on the search path, or a path. The kind is the beginning of the file
    /// name, so that `z3-4.13` is a z3.
    pub fn named(name: &str) -> Result<SolverProgram, ProgramError> {
        let file = Path::new(name).file_name().unwrap_or_default();
        let kind = match file.to_string_lossy() {
            file if file.starts_with("z3") => SolverKind::Z3,
            file if file.starts_with("cvc5") => SolverKind::Cvc5,
            _ => return Err(ProgramError::UnknownKind(name.to_owned())),
        };
        let path = match name.contains('/') {
            true => Some(PathBuf::from(name)),
            false => std::env::var_os("PATH").and_then(|path| {
                std::env::split_paths(&path)
                    .map(|directory| directory.join(name))
                    .find(|path| path.is_file())
            }),
        };
        match path.filter(|path| path.is_file()) {
            Some(path) => Ok(SolverProgram { kind, path }),
            None => Err(ProgramError::NotFound(name.to_owned())),
        }
    }

    /// What people call it.
    pub fn name(&self) -> String {
        let file = self.path.file_name().unwrap_or(self.path.as_os_str());
        file.to_string_lossy().into_owned()
    }

    pub(super) fn arguments(&self) -> &'static [&'static str] {
        match self.kind {
            SolverKind::Z3 => &["-in", "-smt2"],
            // Models and limits are asked for per query.
            SolverKind::Cvc5 => &["--lang=smt2", "--incremental"],
        }
    }
}

impl SolverKind {
    /// From any state: forget it, set the limits, ask. The solver's own time limit ends a check
    /// even if nobody is left to end it.
    pub(super) fn question(
        self,
        configuration: Configuration,
        query: &Query,
        limits: Limits,
    ) -> String {
        let (effort, milliseconds) = limits.in_numbers();
        let seed = match configuration {
            Configuration::First => 0,
            Configuration::Second | Configuration::Third => 17,
        };
        let (options, ask) = match self {
            SolverKind::Z3 => (
                format!(
                    "(set-option :rlimit {effort})\n(set-option :timeout {milliseconds})\n\
                     (set-option :smt.random_seed {seed})\n(set-option :sat.random_seed {seed})\n"
                ),
                match configuration {
                    Configuration::First => "(check-sat)".to_owned(),
                    Configuration::Second => format!("(check-sat-using {BIT_BLASTING})"),
                    Configuration::Third => "(check-sat-using smt)".to_owned(),
                },
            ),
            SolverKind::Cvc5 => (
                format!(
                    "(set-option :rlimit-per {effort})\n(set-option :tlimit-per {milliseconds})\n\
                     (set-option :seed {seed})\n(set-option :sat-random-seed {seed})\n"
                ),
                "(check-sat)".to_owned(),
            ),
        };
        format!(
            "(reset)\n(set-option :produce-models true)\n{options}(set-logic {})\n{}{ask}\n",
            query.logic, query.text
        )
    }
}

impl Limits {
    /// No more time than is left.
    pub(super) fn within(self, limit: TimeLimit<'_>) -> Limits {
        Limits {
            time: limit.left(self.time),
            ..self
        }
    }

    /// As solvers take them: effort, and milliseconds.
    pub(super) fn in_numbers(self) -> (u64, u128) {
        let effort = self.effort.clamp(1, u64::from(u32::MAX));
        let milliseconds = self.time.as_millis().clamp(1, u128::from(u32::MAX - 1));
        (effort, milliseconds)
    }
}

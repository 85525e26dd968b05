//! Is a verdict of `knockon equiv` ever wrong? Random functions ([`making`]) are worded twice
//! ([`wording`]): half of the pairs mean the same, the other half differ in one place
//! ([`mutations`]). The command's verdict ([`judge`]) is held to thousands of runs of both versions
//! ([`driver`]), which know nothing of proofs, shapes or replays.
//!
//! With `--bad-solver` one of the solvers lies, crashes, hangs, floods or eats memory at random
//! ([`bad_solver`]): the laws are the same.

pub mod bad_solver;
pub mod driver;
pub mod judge;
pub mod language;
pub mod making;
pub mod mutations;
pub mod soak;
pub mod subject;
pub mod wording;

use std::fmt;

/// What must hold of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// Two wordings of one function are not seen to differ: otherwise this trial is wrong.
    Wording,
    /// What is called equivalent is not seen to differ.
    Equivalent,
    /// What is called different is shown to be, by its C file or by the runs.
    Different,
    /// Two wordings of one function are not called different.
    Rewritten,
    /// There is a verdict in time.
    InTime,
    /// No process of a solver is left.
    NothingLeft,
}

impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Law::Wording => "wordings mean the same",
            Law::Equivalent => "equivalent is right",
            Law::Different => "different is shown",
            Law::Rewritten => "rewritten not different",
            Law::InTime => "a verdict in time",
            Law::NothingLeft => "no process left",
        })
    }
}

pub type Findings = crate::soak::laws::Findings<Law>;
pub type Outcome = crate::soak::laws::Outcome<Law>;
pub type Summary = crate::soak::laws::Summary<Law>;

//! Does what the IR does not show count? Random programs that are split over units, archives,
//! assembly, prebuilt objects, shared libraries and plug-ins, and linked with options, are edited in
//! one place. Both versions are built by their own Makefile and run, and what `knockon diff` says of
//! the captured build is held to what the runs print.
//!
//! Each line of interest prints a word of its own with values, so what it observes is seen in the
//! output. A pair that does not build or ends badly is no evidence. [`project`] makes projects,
//! [`editing`] edits them, [`trees`] builds and runs them, [`verdicts`] holds reports to runs.

pub mod editing;
pub mod pair;
pub mod project;
pub mod reduction;
pub mod soak;
pub mod table;
pub mod trees;
pub mod verdicts;

use std::fmt;

/// What must hold of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// A line that prints something else is not called unaffected.
    Lines,
    /// A line that prints something else and still runs, of a unit in C, is in the report.
    Listed,
    /// Where the output is called equal, it is.
    Output,
    /// Trees that are equal, or differ in documentation only: nothing is reported.
    NoChange,
    /// The command ends in time and does not panic.
    Ends,
}

impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Law::Lines => "verdicts of lines",
            Law::Listed => "lines are listed",
            Law::Output => "the same output",
            Law::NoChange => "no change",
            Law::Ends => "ends in time",
        })
    }
}

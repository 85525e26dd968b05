//! Does it matter where a build runs and how it names its files? Random programs of several units that
//! share headers lie in random directories, and a random script builds them: in the source tree, below
//! it or beside it, with relative or absolute names, through symbolic links, step by step or at once.
//!
//! Nothing may be reported of a tree that nobody edited. An edited line is seen, and two revisions say
//! what the working tree said. [`project`] makes programs, [`script`] builds them, [`soak`] asks.

pub mod project;
pub mod script;
pub mod soak;

use std::fmt;

/// What must hold of a program and a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// Nothing is reported of equal trees.
    Clean,
    /// A line that was edited is changed.
    Seen,
    /// Two revisions are compared as the working tree and its revision are.
    Revisions,
    /// The command ends in time, with a report.
    Ends,
}

impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Law::Clean => "a clean tree",
            Law::Seen => "the edit is seen",
            Law::Revisions => "two revisions",
            Law::Ends => "ends with a report",
        })
    }
}

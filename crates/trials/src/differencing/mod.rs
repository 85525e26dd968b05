//! Is whatever differs between two versions foretold? Both versions of a pair run in the
//! interpreter on the same input, and each *law* holds what the analyses claim of the pair
//! ([`Claims`]), and what the command reports of it, to the two runs or to each other. A law is a
//! function that gives its violations, so that an empty list is the proof for that pair.
//!
//! Runs with undefined behaviour, runs that are cut by the step limit, and runs that read what the
//! language leaves open are no evidence: they are counted and not asked.

pub mod claims;
pub mod containment;
pub mod duality;
pub mod oracle;
pub mod pairing;
pub mod reduction;
pub mod reported;
pub mod soak;
pub mod subject;

pub use claims::Claims;

use knockon_program::{Node, Program};
use std::fmt;

/// What must hold of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// A node that observes something else than its partner is a source or impacted.
    Oracle,
    /// A line with a node that observes something else is not called unaffected.
    Lines,
    /// Where the output is called the same, it is.
    Output,
    /// Versions that differ in layout only: no source, nothing impacted, nothing reported.
    NoChange,
    /// The map of nodes is one-to-one, and what it leaves out is a source.
    Pairing,
    /// Whatever is reported may execute after something changed.
    ExecuteAfter,
    /// Each level of the command leaves at most what the one before does.
    Levels,
    /// Each line that is reported is reached by some hunk.
    Hunks,
    /// The same bytes, whatever the number of threads.
    Jobs,
    /// One node is in the forward slice of another exactly if that is in its backward slice.
    Duality,
    /// An analysis ends, and about when its budget does.
    Time,
}

impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Law::Oracle => "execution oracle",
            Law::Lines => "verdicts of lines",
            Law::Output => "the same output",
            Law::NoChange => "no change",
            Law::Pairing => "pairing",
            Law::ExecuteAfter => "execute-after",
            Law::Levels => "levels nested",
            Law::Hunks => "hunks cover the change",
            Law::Jobs => "any number of jobs",
            Law::Duality => "slices dual",
            Law::Time => "in time",
        })
    }
}

/// What a pair was held to.
pub type Findings = crate::soak::laws::Findings<Law>;
pub type Violation = crate::soak::laws::Violation<Law>;

/// What is counted besides: pairs of nodes, and pairs of versions that have some.
pub const SEEN: &str = "pairs of nodes that were seen to differ";
pub const DIFFERING: &str = "pairs of versions that were seen to differ";
pub const CLAIMED: &str = "nodes of new versions that may differ";
/// What dependence reaches, and execute-after leaves out.
pub const BEYOND: &str = "functions that are impacted, and not executed after the change";
pub const BEYOND_SLICES: &str = "functions in slices, and not executed after the criterion";

/// Where an instruction stands.
fn place_of(program: &Program, (function, instruction): Node) -> String {
    let name = program.function_name(function);
    if let Some(body) = &program.function(function).body {
        let place = program.place(body.instruction(instruction).place);
        if place.is_known() {
            let file = program.file_path(place.file);
            return format!("{file}:{} in {name}", place.line);
        }
    }
    name.to_string()
}

//! Is whatever differs between two versions foretold? Both versions of a pair run in the
//! interpreter on the same input, and each *law* holds what the analyses claim of the pair
//! ([`Claims`]) to the two runs, or to each other. A law is a function that gives its violations,
//! so that an empty list is the proof for that pair.
//!
//! Runs with undefined behaviour, runs that are cut by the step limit, and runs that read what the
//! language leaves open are no evidence: they are counted and not asked.

pub mod claims;
pub mod containment;
pub mod duality;
pub mod names;
pub mod oracle;
pub mod pairing;
pub mod positions;
pub mod reduction;
pub mod soak;
pub mod subject;

pub use claims::Claims;

use knockon_interpreter::Node;
use knockon_program::Program;
use std::collections::BTreeMap;
use std::fmt;

/// What must hold of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// A node that observes something else than its partner is a source or impacted.
    Oracle,
    /// Versions that differ in layout only: no source, nothing impacted.
    NoChange,
    /// The map of nodes is one-to-one, and what it leaves out is a source.
    Pairing,
    /// Whatever is impacted may execute after something changed.
    ExecuteAfter,
    /// One node is in the forward slice of another exactly if that is in its backward slice.
    Duality,
}

impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Law::Oracle => "execution oracle",
            Law::NoChange => "no change",
            Law::Pairing => "pairing",
            Law::ExecuteAfter => "execute-after",
            Law::Duality => "slices dual",
        })
    }
}

/// Something happened, or was claimed, that a law excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub law: Law,
    /// File and line in the new version, or the function where there is none.
    pub place: String,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}: {}", self.place, self.law, self.message)
    }
}

/// What a pair was held to.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// By law: how many things were looked at.
    pub checked: BTreeMap<Law, usize>,
    pub violations: Vec<Violation>,
    /// Pairs of nodes that were seen to differ, and nodes that are claimed to.
    pub seen: usize,
    pub claimed: usize,
}

impl Findings {
    fn count(&mut self, law: Law, number: usize) {
        *self.checked.entry(law).or_default() += number;
    }

    fn violated(&mut self, law: Law, place: String, message: String) {
        self.violations.push(Violation {
            law,
            place,
            message,
        });
    }

    pub fn add(&mut self, other: Findings) {
        for (law, number) in other.checked {
            self.count(law, number);
        }
        self.violations.extend(other.violations);
        self.seen += other.seen;
        self.claimed += other.claimed;
    }
}

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

//! Caveats as every format shows them.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ReportedCaveat {
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    pub message: String,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl ReportedCaveat {
    /// `file:line: message`, in one line, with as much of the place as is known.
    pub fn sentence(&self) -> String {
        let message = self.message.lines().next().unwrap_or_default();
        match (self.file.as_str(), self.line) {
            ("", _) => message.to_owned(),
            (file, 0) => format!("{file}: {message}"),
            (file, line) => format!("{file}:{line}: {message}"),
        }
    }
}

/// What limits a result, one line each: the kinds of caveats with how many there are and the first
/// of each, then the assumptions.
pub(crate) struct Limits {
    pub caveats: Vec<String>,
    pub assumptions: Vec<String>,
}

pub(crate) fn limits(caveats: &[ReportedCaveat], assumptions: &[String]) -> Limits {
    let kinds = count_by_kind(caveats).into_iter();
    let kinds = kinds.map(|(kind, count)| {
        let first = caveats.iter().find(|caveat| caveat.kind == kind);
        let example = first.map(ReportedCaveat::sentence).unwrap_or_default();
        format!("caveat {kind} ({count}): {example}")
    });
    let assumptions = assumptions.iter();
    Limits {
        caveats: kinds.collect(),
        assumptions: assumptions.map(|one| format!("assuming {one}")).collect(),
    }
}

/// How many caveats there are of each kind.
pub fn count_by_kind(caveats: &[ReportedCaveat]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for caveat in caveats {
        *counts.entry(caveat.kind.as_str()).or_default() += 1;
    }
    counts
}

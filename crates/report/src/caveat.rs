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

/// How many caveats there are of each kind.
pub fn count_by_kind(caveats: &[ReportedCaveat]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for caveat in caveats {
        *counts.entry(caveat.kind.as_str()).or_default() += 1;
    }
    counts
}

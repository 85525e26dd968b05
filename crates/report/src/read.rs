//! What was read: the account that precedes every analysis.

use crate::{ReportedCaveat, count_by_kind, escape_control_characters};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(title = "knockon read --format json")]
pub struct ReadReport {
    #[schemars(extend("const" = "knockon.read/1"))]
    pub schema: &'static str,
    pub complete: bool,
    pub configuration: String,
    pub executables: Vec<ExecutableSummary>,
    pub units: usize,
    pub units_from_cache: usize,
    pub units_failed: usize,
    pub caveats: Vec<ReportedCaveat>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExecutableSummary {
    pub name: String,
    pub units: usize,
    pub functions: usize,
    pub instructions: usize,
}

impl ReadReport {
    pub fn terminal(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{}: {} units read, {} of them from the cache, {} failed",
            escape_control_characters(&self.configuration),
            self.units,
            self.units_from_cache,
            self.units_failed
        );
        for executable in &self.executables {
            let _ = writeln!(
                text,
                "  {:<20} {:>5} units {:>7} functions {:>9} instructions",
                escape_control_characters(&executable.name),
                executable.units,
                executable.functions,
                executable.instructions
            );
        }
        for (kind, count) in count_by_kind(&self.caveats) {
            let _ = writeln!(text, "caveat {kind} ({count})");
        }
        text
    }
}

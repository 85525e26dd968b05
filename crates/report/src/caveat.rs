//! Caveats as every format shows them.

use crate::summary::{counted, grouped};
use crate::wrap::wrapped;
use crate::{Style, escape_control_characters};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

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

/// How many there are, and which options list them; `None` where there are none.
pub(crate) fn limits_line(caveats: &[ReportedCaveat], assumptions: &[String]) -> Option<String> {
    let kinds = count_by_kind(caveats).into_iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{} {}", grouped(count), escape_control_characters(kind)))
        .collect();
    let caveats = format!(
        "{} (--caveats): {}",
        counted(caveats.len(), "caveat"),
        kinds.join(", ")
    );
    let assumptions_text = format!(
        "{} (--assumptions)",
        counted(assumptions.len(), "assumption")
    );
    match (assumptions.is_empty(), kinds.is_empty()) {
        (true, true) => None,
        (true, false) => Some(caveats),
        (false, true) => Some(assumptions_text),
        (false, false) => Some(format!("{assumptions_text}, {caveats}")),
    }
}

/// What limits a result, as a terminal shows it: counted, and listed where the user asks for it.
pub(crate) fn write_limits(
    text: &mut String,
    style: Style,
    caveats: &[ReportedCaveat],
    assumptions: &[String],
) {
    if style.caveats {
        for caveat in caveats {
            let line = format!("caveat {}: {}", caveat.kind, caveat.sentence());
            let _ = writeln!(text, "{}", style.warning(&escape_control_characters(&line)));
        }
    }
    if style.assumptions {
        for assumption in assumptions {
            let line = format!("assuming {assumption}");
            for (number, line) in wrapped(&line, style.width - 2).iter().enumerate() {
                let indent = if number == 0 { "" } else { "  " };
                let line = format!("{indent}{}", escape_control_characters(line));
                let _ = writeln!(text, "{}", style.dim(&line));
            }
        }
    }
    let counted_caveats: &[ReportedCaveat] = if style.caveats { &[] } else { caveats };
    let counted_assumptions: &[String] = if style.assumptions { &[] } else { assumptions };
    if let Some(line) = limits_line(counted_caveats, counted_assumptions) {
        for line in wrapped(&line, style.width) {
            let _ = writeln!(text, "{}", style.dim(&line));
        }
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

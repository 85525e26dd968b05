//! DOT: the functions that the change reaches, and how it comes to them.

use crate::summary::spread_names;
use crate::{DiffReport, FunctionStatus, SpreadKind, Verdict, escape_control_characters};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A string of the DOT language that shows exactly this text.
pub(crate) fn quoted(text: &str) -> String {
    let escaped = escape_control_characters(text)
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    format!("\"{escaped}\"")
}

pub(crate) fn diff_dot(report: &DiffReport) -> String {
    let linked: FxHashSet<&str> = report
        .spread
        .iter()
        .flat_map(|edge| [&*edge.from, &*edge.to])
        .collect();
    let mut text = String::from("digraph spread {\n  rankdir=LR;\n  node [shape=box];\n");
    for (function, name) in report.functions.iter().zip(spread_names(&report.functions)) {
        if function.verdict == Verdict::Unaffected && !linked.contains(name.as_str()) {
            continue;
        }
        let outline = match function.verdict {
            Verdict::Changed => "color=\"#1f5fbf\", penwidth=2",
            Verdict::Affected => "color=\"#b3261e\", penwidth=2",
            Verdict::Possible => "color=\"#8a5a00\", style=dashed",
            Verdict::Unaffected => "color=\"#6b7280\"",
        };
        let detail = match function.status {
            FunctionStatus::Same | FunctionStatus::Changed => function.verdict.name(),
            status => status.name(),
        };
        // `\n` is DOT's own line break, so it is put between strings that are already quoted.
        let label = quoted(&name);
        let label = label.trim_end_matches('"');
        let _ = writeln!(
            text,
            "  {} [label={label}\\n{detail}\", {outline}];",
            quoted(&name)
        );
    }
    for edge in &report.spread {
        let style = match edge.kind {
            SpreadKind::Calls => "solid",
            SpreadKind::ReturnsTo => "dashed",
            SpreadKind::Memory => "bold",
            SpreadKind::Order => "dotted",
        };
        let _ = writeln!(
            text,
            "  {} -> {} [label=\"{}\", style={style}];",
            quoted(&edge.from),
            quoted(&edge.to),
            edge.kind.name()
        );
    }
    text.push_str("}\n");
    text
}

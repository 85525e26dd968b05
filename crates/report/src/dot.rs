//! DOT: the functions that the change reaches, and how it comes to them.

use crate::caveat::limits;
use crate::summary::spread_names;
use crate::{
    DiffReport, FunctionStatus, ReportedCaveat, SpreadKind, Verdict, escape_control_characters,
};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A string of the DOT language that shows exactly this text.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// What stands between the quotes of such a string.
fn escaped(text: &str) -> String {
    escape_control_characters(text)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
}

/// Caveats and assumptions below the picture, flush left; nothing where there are none.
pub(crate) fn limits_label(caveats: &[ReportedCaveat], assumptions: &[String]) -> String {
    let limits = limits(caveats, assumptions);
    let lines = limits.caveats.iter().chain(&limits.assumptions);
    // `\l` is DOT's own: it ends a line that is flush left.
    let lines = lines.map(|line| escaped(line) + "\\l");
    let label: String = lines.collect();
    match label.is_empty() {
        true => label,
        false => format!("  labelloc=b;\n  labeljust=l;\n  label=\"{label}\";\n"),
    }
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
        // `\n` is DOT's own line break, so it is put behind what is already escaped.
        let label = escaped(&name);
        let _ = writeln!(
            text,
            "  \"{label}\" [label=\"{label}\\n{detail}\", {outline}];"
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
    text.push_str(&limits_label(&report.caveats, &report.assumptions));
    text.push_str("}\n");
    text
}

//! A diff for a terminal: the summary, then annotated source around each hit,
//! the best first, folded when long.

use crate::annotated_source::{Mark, write_annotated};
use crate::caveat::limits;
use crate::source_lines::SourceLines;
use crate::summary::{
    FileHits, FunctionHits, Summary, counted, function_changes, grouped_hits, level_counts, proved,
};
use crate::{DiffReport, Extent, HunkAccount, LineRow, Style, Verdict, escape_control_characters};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Functions shown before the rest is folded.
const FUNCTIONS_SHOWN: usize = 12;
/// Lines of one function shown before the rest is folded.
const LINES_SHOWN: usize = 10;
/// Removed lines and hunks that are named one by one.
const PLACES_SHOWN: usize = 8;

pub(crate) fn diff_terminal(report: &DiffReport, style: Style, extent: Extent) -> String {
    let mut text = String::new();
    write_summary(&mut text, report, style);
    write_hits(&mut text, report, style, extent);
    write_functions(&mut text, report, style, extent);
    write_removed(&mut text, report, style, extent);
    write_hunks(&mut text, report, style, extent);
    write_caveats(&mut text, report, style);
    if let Some(line) = proved(report) {
        let _ = writeln!(text, "{}", style.bold(&line));
    }
    text
}

fn write_summary(text: &mut String, report: &DiffReport, style: Style) {
    let versions = format!("{} → {}", report.old.name, report.new.name);
    let _ = writeln!(text, "{}", style.dim(&escape_control_characters(&versions)));
    let summary = Summary::of(report);
    let _ = writeln!(text, "{}", style.bold(&summary.sentence()));
    if !report.complete {
        let message = "the input is incomplete: what could not be read is among the caveats below";
        let _ = writeln!(text, "{}", style.warning(message));
    }
    if !report.levels.is_empty() {
        let _ = writeln!(text, "possible lines by level: {}", level_counts(report));
    }
    if summary.hits() > 0 {
        let _ = writeln!(text, "{}", report.output.sentence());
    }
}

fn write_hits(text: &mut String, report: &DiffReport, style: Style, extent: Extent) {
    let files = grouped_hits(report);
    let with_hits: FxHashSet<&str> = files.iter().map(|file| file.file).collect();
    let sources = SourceLines::of(&report.sources, |path| with_hits.contains(path));
    let mut room = match extent {
        Extent::Folded => FUNCTIONS_SHOWN,
        Extent::Full => usize::MAX,
    };
    let mut hidden = (0, 0, 0);
    for FileHits { file, functions } in &files {
        let shown = functions.len().min(room);
        room -= shown;
        if shown > 0 {
            let heading = escape_control_characters(file);
            let _ = writeln!(text, "\n{}", style.bold(&heading));
        } else {
            hidden.0 += 1;
        }
        for function in &functions[..shown] {
            write_function(text, style, extent, &sources, file, function);
        }
        for function in &functions[shown..] {
            hidden.1 += 1;
            hidden.2 += function.lines.len();
        }
    }
    if hidden.1 > 0 {
        let more_files = match hidden.0 {
            0 => String::new(),
            count => format!(", {} not shown at all", counted(count, "file")),
        };
        let message = format!(
            "\n… {} more in {}{more_files}: --full shows them, --format html lets you browse",
            counted(hidden.2, "line"),
            counted(hidden.1, "function"),
        );
        let _ = writeln!(text, "{}", style.dim(&message));
    }
}

fn write_function(
    text: &mut String,
    style: Style,
    extent: Extent,
    sources: &SourceLines,
    file: &str,
    group: &FunctionHits,
) {
    if !group.function.is_empty() {
        let _ = writeln!(text, " {}", escape_control_characters(group.function));
    }
    let lines = match extent {
        Extent::Folded => group.best(LINES_SHOWN),
        Extent::Full => group.lines.clone(),
    };
    let marks: Vec<Mark> = lines.iter().map(|line| mark(line)).collect();
    write_annotated(text, style, sources, file, &marks);
    let hidden = group.lines.len() - lines.len();
    if hidden > 0 {
        let message = format!("  … {} more here: --full", counted(hidden, "line"));
        let _ = writeln!(text, "{}", style.dim(&message));
    }
}

/// A changed line needs no reason; another shows its last hop, or its witness.
fn mark(line: &LineRow) -> Mark<'_> {
    let note = match (&line.witness, line.verdict, line.reasons.last()) {
        (Some(witness), ..) => format!("seen on {witness}").into(),
        (None, Verdict::Changed, _) | (None, _, None) => "".into(),
        (None, _, Some(step)) => (&*step.text).into(),
    };
    // The score of a changed line is always 1.
    let label = match line.verdict {
        Verdict::Changed => line.verdict.name().to_owned(),
        verdict => format!("{:<8} {:.2}", verdict.name(), line.score),
    };
    Mark {
        line: line.line,
        label,
        verdict: line.verdict,
        note,
    }
}

fn write_functions(text: &mut String, report: &DiffReport, style: Style, extent: Extent) {
    let changes = function_changes(report);
    if changes.is_empty() {
        return;
    }
    let heading = format!(
        "{} added, removed or named anew",
        counted(changes.len(), "function")
    );
    let _ = writeln!(text, "\n{}", style.bold(&heading));
    let room = shown_places(extent);
    for change in changes.iter().take(room) {
        let _ = writeln!(text, "  {}", escape_control_characters(change));
    }
    write_more(text, style, changes.len(), room);
}

fn write_removed(text: &mut String, report: &DiffReport, style: Style, extent: Extent) {
    if report.removed.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{}",
        style.bold(&counted(report.removed.len(), "removed line"))
    );
    let room = shown_places(extent);
    for row in report.removed.iter().take(room) {
        let place = format!("{}:{}", row.file, row.line);
        let function = match &*row.function {
            "" => String::new(),
            function => format!("  in {function}"),
        };
        let row = format!("  {place}{function} (old version)");
        let _ = writeln!(text, "{}", escape_control_characters(&row));
    }
    write_more(text, style, report.removed.len(), room);
}

/// The hunks that are not in the delta: the others show by their lines.
fn write_hunks(text: &mut String, report: &DiffReport, style: Style, extent: Extent) {
    let others: Vec<_> = report
        .hunks
        .iter()
        .filter(|hunk| hunk.account != HunkAccount::InTheDelta)
        .collect();
    if others.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{}",
        style.bold(&format!(
            "{} outside the delta",
            counted(others.len(), "hunk")
        ))
    );
    let room = shown_places(extent);
    for hunk in others.iter().take(room) {
        let message = match &*hunk.message {
            "" => String::new(),
            message => format!(": {message}"),
        };
        let row = format!(
            "  {}:{}  {}{message}",
            hunk.file,
            hunk.new_start,
            hunk.account.name()
        );
        let row = escape_control_characters(&row);
        match hunk.account {
            HunkAccount::NotCompiled => {
                let _ = writeln!(text, "{}", style.warning(&row));
            }
            _ => {
                let _ = writeln!(text, "{row}");
            }
        }
    }
    write_more(text, style, others.len(), room);
}

fn shown_places(extent: Extent) -> usize {
    match extent {
        Extent::Folded => PLACES_SHOWN,
        Extent::Full => usize::MAX,
    }
}

fn write_more(text: &mut String, style: Style, all: usize, room: usize) {
    if all > room {
        let message = format!("  … {} more: --full", all - room);
        let _ = writeln!(text, "{}", style.dim(&message));
    }
}

fn write_caveats(text: &mut String, report: &DiffReport, style: Style) {
    let limits = limits(&report.caveats, &report.assumptions);
    if !limits.caveats.is_empty() || !limits.assumptions.is_empty() {
        text.push('\n');
    }
    for line in &limits.caveats {
        let _ = writeln!(text, "{}", style.warning(&escape_control_characters(line)));
    }
    for line in &limits.assumptions {
        let _ = writeln!(text, "{}", style.dim(&escape_control_characters(line)));
    }
}

//! A diff for a terminal, as much of it as is asked for: the answer in sentences, a line for each
//! file, one screen ([`crate::first_screen`]), or the annotated source around each line that is reached.

use crate::annotated_source::{Mark, write_annotated};
use crate::caveat::write_limits;
use crate::first_screen::{first_screen, note, opening};
use crate::source_lines::SourceLines;
use crate::summary::{
    FileHits, FunctionHits, counted, function_changes, grouped_hits, level_counts,
};
use crate::wrap::wrapped;
use crate::{DiffReport, Extent, HunkAccount, LineRow, Style, Verdict, escape_control_characters};
use rustc_hash::FxHashSet;
use std::fmt::Write;

pub(crate) fn diff_terminal(report: &DiffReport, style: Style, extent: Extent) -> String {
    let mut text = String::new();
    match extent {
        Extent::Sentences => {
            let sentences = wrapped(&report.answer().join(" "), style.width);
            for row in sentences {
                let _ = writeln!(text, "{}", style.bold(&row));
            }
            return text;
        }
        Extent::Folded => text = first_screen(report, style),
        Extent::Files => {
            write_opening(&mut text, report, style);
            write_files(&mut text, report, style);
        }
        Extent::Full => {
            write_opening(&mut text, report, style);
            if !report.levels.is_empty() {
                let _ = writeln!(
                    text,
                    "Lines that may behave differently, by level: {}",
                    level_counts(report)
                );
            }
            write_hits(&mut text, report, style);
            write_functions(&mut text, report, style);
            write_removed(&mut text, report, style);
            write_hunks(&mut text, report, style);
            write_tests(&mut text, report);
        }
    }
    let is_counted = extent == Extent::Folded;
    let listed = Style {
        caveats: style.caveats || extent == Extent::Full,
        assumptions: style.assumptions || extent == Extent::Full,
        ..style
    };
    if !is_counted {
        text.push('\n');
        write_limits(&mut text, listed, &report.caveats, &report.assumptions);
    } else if style.caveats || style.assumptions {
        text.push('\n');
        let caveats: &[_] = if style.caveats { &report.caveats } else { &[] };
        let assumptions: &[_] = if style.assumptions {
            &report.assumptions
        } else {
            &[]
        };
        write_limits(&mut text, style, caveats, assumptions);
    }
    text
}

fn write_opening(text: &mut String, report: &DiffReport, style: Style) {
    for row in opening(report, style) {
        let _ = writeln!(text, "{}", row);
    }
}

/// `  3 changed, 12 possible   tariff.c`, the nearest file first.
fn write_files(text: &mut String, report: &DiffReport, style: Style) {
    text.push('\n');
    for FileHits { file, functions } in grouped_hits(report) {
        let lines = functions.iter().flat_map(|function| &function.lines);
        let count = |verdict| {
            let with = lines.clone().filter(|line| line.verdict == verdict);
            with.count()
        };
        let counts = [Verdict::Changed, Verdict::Affected, Verdict::Possible].map(count);
        let best = lines.clone().map(|line| line.score).fold(0.0, f64::max);
        let columns = format!(
            "{:>6} changed {:>6} affected {:>6} possible {best:>5.2}",
            counts[0], counts[1], counts[2]
        );
        let _ = writeln!(
            text,
            "{columns}  {}",
            style.bold(&escape_control_characters(file))
        );
    }
}

fn write_tests(text: &mut String, report: &DiffReport) {
    let reached = report.executables.iter();
    for row in reached.filter(|row| row.is_test && row.possible_lines > 0) {
        let name = escape_control_characters(&row.name);
        let _ = writeln!(text, "\nTest to run: {name}");
    }
}

fn write_hits(text: &mut String, report: &DiffReport, style: Style) {
    let files = grouped_hits(report);
    let with_hits: FxHashSet<&str> = files.iter().map(|file| file.file).collect();
    let sources = SourceLines::of(&report.sources, |path| with_hits.contains(path));
    for FileHits { file, functions } in &files {
        let heading = escape_control_characters(file);
        let _ = writeln!(text, "\n{}", style.bold(&heading));
        for function in functions {
            write_function(text, style, &sources, file, function);
        }
    }
}

fn write_function(
    text: &mut String,
    style: Style,
    sources: &SourceLines,
    file: &str,
    group: &FunctionHits,
) {
    if !group.function.is_empty() {
        let _ = writeln!(text, " {}", escape_control_characters(group.function));
    }
    let marks: Vec<Mark> = group.lines.iter().map(|line| mark(line)).collect();
    write_annotated(text, style, sources, file, &marks);
}

fn mark(line: &LineRow) -> Mark<'_> {
    // The score of a changed line is always 1.
    let label = match line.verdict {
        Verdict::Changed => line.verdict.name().to_owned(),
        verdict => format!("{:<8} {:.2}", verdict.name(), line.score),
    };
    Mark {
        line: line.line,
        label,
        verdict: line.verdict,
        note: note(line).into(),
    }
}

fn write_functions(text: &mut String, report: &DiffReport, style: Style) {
    let changes = function_changes(report);
    if changes.is_empty() {
        return;
    }
    let heading = format!(
        "{} added, removed or named anew",
        counted(changes.len(), "function")
    );
    let _ = writeln!(text, "\n{}", style.bold(&heading));
    for change in changes.iter() {
        let _ = writeln!(text, "  {}", escape_control_characters(change));
    }
}

fn write_removed(text: &mut String, report: &DiffReport, style: Style) {
    if report.removed.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{}",
        style.bold(&counted(report.removed.len(), "removed line"))
    );
    for row in report.removed.iter() {
        let place = format!("{}:{}", row.file, row.line);
        let function = match &*row.function {
            "" => String::new(),
            function => format!("  in {function}"),
        };
        let row = format!("  {place}{function} (old version)");
        let _ = writeln!(text, "{}", escape_control_characters(&row));
    }
}

/// The hunks that are not in the delta: the others show by their lines.
fn write_hunks(text: &mut String, report: &DiffReport, style: Style) {
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
    for hunk in others.iter() {
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
}

//! Source with verdicts in the margin, for the terminal views.
//!
//! ```text
//!   changed        16 │     return (minutes + 29) / 30;
//!                  17 │ }
//!   possible 0.90  20 │     return at_most(started_hours(minutes), 24);
//!                     ╰ uses what started_hours returns
//! ```

use crate::source_lines::{SourceLines, expand_tabs, shorten};
use crate::{Style, Verdict, escape_control_characters};
use std::borrow::Cow;
use std::fmt::Write;

/// One line to point at.
pub(crate) struct Mark<'a> {
    pub line: u32,
    /// In the margin.
    pub label: String,
    /// Decides the label's colour.
    pub verdict: Verdict,
    /// Below the line; empty for none.
    pub note: Cow<'a, str>,
}

/// Lines shown before and after a marked one.
const CONTEXT: u32 = 1;
/// Characters of a source line that are shown.
const WIDTH: usize = 140;
/// Columns for verdict and score.
const MARGIN: usize = 14;

/// Writes the marked lines of one file, in source order, with a line of context around each.
pub(crate) fn write_annotated(
    text: &mut String,
    style: Style,
    sources: &SourceLines,
    file: &str,
    marks: &[Mark],
) {
    let number_width = marks
        .last()
        .map_or(1, |mark| decimal_width(mark.line.saturating_add(CONTEXT)));
    let mut next = 0;
    for (position, mark) in marks.iter().enumerate() {
        let first = mark.line.saturating_sub(CONTEXT).max(1);
        if next != 0 && first > next {
            let _ = writeln!(
                text,
                "  {:MARGIN$} {:>number_width$} {}",
                "",
                "",
                style.dim("┆")
            );
        }
        for line in first.max(next)..mark.line {
            write_context(text, style, sources, file, line, number_width);
        }
        write_mark(text, style, sources, file, mark, number_width);
        let after = mark.line.saturating_add(CONTEXT);
        let last = marks.get(position + 1).map_or(after, |following| {
            after.min(following.line.saturating_sub(1))
        });
        for line in mark.line.saturating_add(1)..=last {
            write_context(text, style, sources, file, line, number_width);
        }
        next = last.saturating_add(1);
    }
}

fn decimal_width(number: u32) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

fn shown(sources: &SourceLines, file: &str, line: u32) -> Option<String> {
    let expanded = expand_tabs(sources.line(file, line)?);
    Some(shorten(&escape_control_characters(&expanded), WIDTH))
}

fn write_context(
    text: &mut String,
    style: Style,
    sources: &SourceLines,
    file: &str,
    line: u32,
    number_width: usize,
) {
    if let Some(source) = shown(sources, file, line) {
        let row = format!("  {:MARGIN$} {line:>number_width$} │ {source}", "");
        let _ = writeln!(text, "{}", style.dim(row.trim_end()));
    }
}

fn write_mark(
    text: &mut String,
    style: Style,
    sources: &SourceLines,
    file: &str,
    mark: &Mark,
    number_width: usize,
) {
    let label = style.verdict(mark.verdict, &format!("{:MARGIN$}", mark.label));
    let source = shown(sources, file, mark.line).unwrap_or_default();
    let row = format!("  {label} {:>number_width$} │ {source}", mark.line);
    let _ = writeln!(text, "{}", row.trim_end());
    if !mark.note.is_empty() {
        let note = format!(
            "  {:MARGIN$} {:>number_width$} ╰ {}",
            "",
            "",
            escape_control_characters(&mark.note)
        );
        let _ = writeln!(text, "{}", style.dim(&note));
    }
}

//! Which files of a report are shown?
//!
//! Filters the output, not the analysis: the answer stays the one about all of the program.

use crate::error::{EngineError, Result, refuse};
use knockon_report::DiffReport;

/// Keeps the rows of files that match one of the patterns, if there are any. A pattern that matches no
/// file is a mistake.
pub fn show_only(report: &mut DiffReport, globs: &[String]) -> Result<()> {
    if globs.is_empty() {
        return Ok(());
    }
    let patterns: Vec<glob::Pattern> = globs
        .iter()
        .map(|text| {
            glob::Pattern::new(text).map_err(|error| {
                EngineError::Refused(format!("--only {text} is not a pattern: {error}"))
            })
        })
        .collect::<Result<_>>()?;
    let known = report.lines.iter().map(|row| &row.file);
    let known = known.chain(report.hunks.iter().map(|row| &row.file));
    for (pattern, text) in patterns.iter().zip(globs) {
        if !known.clone().any(|file| pattern.matches(file)) {
            refuse!(
                "--only {text} matches no file of the program; a pattern is relative to the root, such as 'src/*.c'"
            );
        }
    }
    report.whole_answer = Some(report.answer());
    let shown = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
    report.lines.retain(|row| shown(&row.file));
    report.definitions.retain(|row| shown(&row.place.file));
    report.functions.retain(|row| shown(&row.file));
    report.removed.retain(|row| shown(&row.file));
    report.sources.retain(|row| shown(&row.path));
    Ok(())
}

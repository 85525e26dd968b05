//! **Question.** Which edited lines hold no code themselves, and yet change what the program does?
//!
//! A macro, a type or a constant is edited, and the lines that read it are others than before. The
//! edit is what a reviewer looks for first, and it has no verdict of its own.
//!
//! **Rules.** The lines of a hunk that is in the delta and has no line with a verdict, and no definition
//! that the report lists with its readers. Comments and lines without words are left out; so are lines
//! other than macros in files where code changed, as they mostly declare what that code uses.

use crate::source_lines::SourceLines;
use crate::{DiffReport, HunkAccount, LineRow, Verdict};

/// Of one hunk: the first lines say what is edited.
const MAX_LINES: usize = 3;

/// In the order of the hunks, as changed lines without a function.
pub(crate) fn edited_definitions(report: &DiffReport, sources: &SourceLines) -> Vec<LineRow> {
    let mut rows = Vec::new();
    for hunk in &report.hunks {
        let lines = hunk.new_start..hunk.new_start + hunk.new_lines;
        let holds = |row: &LineRow| row.file == hunk.file && lines.contains(&row.line);
        let is_listed = report.lines.iter().any(holds)
            || report.definitions.iter().any(|row| holds(&row.place));
        if hunk.account != HunkAccount::InTheDelta || is_listed {
            continue;
        }
        let code_changed = report
            .lines
            .iter()
            .any(|row| row.file == hunk.file && row.verdict == Verdict::Changed);
        let is_definition = |line: &u32| {
            let text = sources.line(&hunk.file, *line).unwrap_or_default().trim();
            text.contains(char::is_alphanumeric)
                && !["//", "/*", "*"].iter().any(|sign| text.starts_with(sign))
                && (!code_changed || name_of_macro(text).is_some())
        };
        let edited = lines.filter(is_definition).take(MAX_LINES);
        rows.extend(edited.map(|line| LineRow {
            file: hunk.file.clone(),
            line,
            function: "".into(),
            verdict: Verdict::Changed,
            score: 1.0,
            cut_by: None,
            witness: None,
            reasons: Vec::new(),
            hunks: vec![hunk.number],
        }));
    }
    rows
}

/// `LIMIT` of `#define LIMIT(x) 3`.
pub(crate) fn name_of_macro(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("define")?.trim_start();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_has_a_name() {
        assert_eq!(name_of_macro("#define LIMIT 3"), Some("LIMIT"));
        assert_eq!(name_of_macro("  #  define F(x) (x)"), Some("F"));
        assert_eq!(name_of_macro("int define;"), None);
        assert_eq!(name_of_macro("#define"), None);
    }
}

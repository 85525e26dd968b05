//! The lines of the sources that a report carries, found by file and number.

use crate::SourceText;
use rustc_hash::FxHashMap;

pub(crate) struct SourceLines<'a> {
    files: FxHashMap<&'a str, Vec<&'a str>>,
}

impl<'a> SourceLines<'a> {
    /// Splits the files that `wanted` accepts; the others stay unread.
    pub fn of(sources: &'a [SourceText], wanted: impl Fn(&str) -> bool) -> SourceLines<'a> {
        let files = sources
            .iter()
            .filter(|source| wanted(&source.path))
            .map(|source| (&*source.path, source.text.lines().collect()))
            .collect();
        SourceLines { files }
    }

    /// The text of a line, counted from 1.
    pub fn line(&self, file: &str, line: u32) -> Option<&'a str> {
        let index = (line as usize).checked_sub(1)?;
        self.files.get(file)?.get(index).copied()
    }
}

/// Tabs become spaces, so that columns do not depend on what stands before the line.
pub(crate) fn expand_tabs(text: &str) -> String {
    const TAB: usize = 4;
    let mut expanded = String::with_capacity(text.len());
    let mut column = 0;
    for character in text.chars() {
        if character == '\t' {
            let width = TAB - column % TAB;
            expanded.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            expanded.push(character);
            column += 1;
        }
    }
    expanded
}

/// At most `limit` characters, the last one an ellipsis where text was cut.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
            kept + "…"
        }
    }
}

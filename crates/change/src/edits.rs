//! Which lines of the text were not edited, and which line of the new text is each of them?
//!
//! Given are the hunks of the textual diff, file by file; all lines outside of them are the same in
//! both texts, shifted by what the hunks in front of them inserted and removed. Lines of a hunk that
//! differ in layout and comments only are not edited either. Where nothing is said of a file, its
//! text counts as edited: no claim rests on text that nobody compared.

use crate::Side;
use knockon_program::{FileId, Place, Program};
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines of the old text that were replaced by lines of the new one; 1-based. An empty range
/// stands in front of the line that it begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub old: Range<u32>,
    pub new: Range<u32>,
    /// Old and new lines with the same tokens, at least one, of which this hunk has the old or the
    /// new one and some hunk the other; ascending on both sides.
    pub same_tokens: Vec<(u32, u32)>,
}

impl Hunk {
    pub fn lines(&self, side: Side) -> &Range<u32> {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}

/// The textual difference. The default says nothing of any file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// By path, as in [`Program::file_path`]; hunks ascending.
    pub files: BTreeMap<String, Vec<Hunk>>,
    /// All files that are not listed have the same text in both versions.
    pub others_are_unedited: bool,
}

impl Edits {
    fn hunks(&self, path: &str) -> Option<&[Hunk]> {
        match self.files.get(path) {
            Some(hunks) => Some(hunks),
            None => self.others_are_unedited.then_some(&[]),
        }
    }
}

/// A statement that passes the number of its line has so many lines beyond the first at most.
const MOST_LINES: u32 = 20;

/// The unedited lines of one version.
pub(crate) struct UneditedLines<'a> {
    side: Side,
    /// By file; `None` where nothing is known.
    hunks: Vec<Option<&'a [Hunk]>>,
}

impl<'a> UneditedLines<'a> {
    pub(crate) fn new(program: &Program, edits: &'a Edits, side: Side) -> UneditedLines<'a> {
        let files = (0..program.files.len()).map(FileId::from_index);
        UneditedLines {
            side,
            hunks: files
                .map(|file| edits.hunks(program.file_path(file)))
                .collect(),
        }
    }

    /// The number in the new text of a line that was not edited, but for its layout.
    pub(crate) fn new_line(&self, place: Place) -> Option<u32> {
        if !place.is_known() {
            return None;
        }
        let hunks = (*self.hunks.get(place.file.index())?)?;
        let end = |hunk: &Hunk| hunk.lines(self.side).end;
        let before = hunks.partition_point(|hunk| end(hunk) <= place.line);
        if let Some(next) = hunks.get(before)
            && next.lines(self.side).start <= place.line
        {
            let same = next.same_tokens.iter().find(|(old, new)| match self.side {
                Side::Old => *old == place.line,
                Side::New => *new == place.line,
            });
            return same.map(|(_, new)| *new);
        }
        match (self.side, before.checked_sub(1)) {
            (Side::New, _) | (_, None) => Some(place.line),
            (Side::Old, Some(last)) => Some(place.line - hunks[last].old.end + hunks[last].new.end),
        }
    }

    /// The number is that of the place's line, or of one on which its statement may end: for
    /// `__LINE__` in a macro a compiler takes the line of the closing parenthesis. In the new text,
    /// if none of the lines was edited.
    pub(crate) fn position(&self, place: Place, number: u128) -> Option<u32> {
        let last = u32::try_from(number).ok()?;
        let beyond = last.checked_sub(place.line)?;
        if beyond > MOST_LINES {
            return None;
        }
        let first = self.new_line(place)?;
        let is_unedited = |step: u32| {
            let line = place.line + step;
            self.new_line(Place { line, ..place }) == Some(first + step)
        };
        (1..=beyond).all(is_unedited).then_some(first + beyond)
    }
}

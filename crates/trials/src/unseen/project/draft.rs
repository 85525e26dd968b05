//! A project before it is edited: each line knows what an edit may make of it.

use crate::random::Random;
use crate::unseen::pair::Kind;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The line reads so.
    Instead(String),
    Gone,
    /// This line follows it.
    Then(String),
}

#[derive(Clone, Debug)]
pub struct DraftLine {
    pub text: String,
    pub edits: Vec<Edit>,
}

#[derive(Clone, Debug)]
pub struct DraftFile {
    pub kind: Kind,
    pub lines: Vec<DraftLine>,
}

#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub prepare: Vec<String>,
    pub files: BTreeMap<String, DraftFile>,
}

/// A line that no edit touches.
pub fn fixed(text: impl Into<String>) -> DraftLine {
    DraftLine {
        text: text.into(),
        edits: Vec::new(),
    }
}

pub fn fixed_lines(text: &str) -> Vec<DraftLine> {
    text.lines().map(fixed).collect()
}

/// A line with a number that an edit changes.
pub fn numbered(random: &mut Random, text: impl Fn(i64) -> String) -> DraftLine {
    let number = random.between(1, 60);
    DraftLine {
        text: text(number),
        edits: vec![Edit::Instead(text(number + random.between(1, 9)))],
    }
}

/// A statement with a number, which an edit changes, removes, or doubles.
pub fn statement(random: &mut Random, text: impl Fn(i64) -> String) -> DraftLine {
    let mut line = numbered(random, &text);
    line.edits.push(Edit::Gone);
    line.edits.push(Edit::Then(text(random.between(61, 90))));
    line
}

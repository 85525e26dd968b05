//! What the levels work on, and how far one came.

use super::DiffOptions;
use super::semantic::Proving;
use super::subject::{Graphs, Subject, Walks};
use crate::comparison::Pairings;
use crate::events::{Clock, Events};
use crate::read::versions::ReadVersions;
use crate::verdict::lines::Edited;
use std::cell::OnceCell;

/// All executables on their way through the levels.
pub struct Work<'a: 'g, 'g> {
    pub(super) versions: &'a ReadVersions,
    pub(super) options: DiffOptions<'a>,
    pub(super) edited: Edited<'a>,
    pub(super) subjects: Vec<Subject<'a>>,
    /// By executable, where graphs are kept from level to level.
    pub(super) rooms: &'g [OnceCell<Graphs<'a>>],
    pub(super) kept: Vec<Option<Walks<'g>>>,
    /// There since the first level that proves something.
    pub(super) proving: Option<Proving<'a>>,
    pub(super) clock: Clock<'a>,
}

impl<'a, 'g> Work<'a, 'g> {
    pub(super) fn new(
        versions: &'a ReadVersions,
        pairings: &'a Pairings<'a>,
        options: DiffOptions<'a>,
        rooms: &'g [OnceCell<Graphs<'a>>],
        events: Events<'a>,
    ) -> Work<'a, 'g> {
        let subjects = pairings.iter();
        let subjects =
            subjects.map(|(number, analysed, change)| Subject::new(number, analysed, change));
        Work {
            versions,
            options,
            edited: Edited::new(&versions.edits),
            subjects: subjects.collect(),
            rooms,
            kept: rooms.iter().map(|_| None).collect(),
            proving: None,
            clock: Clock::new(events),
        }
    }
}

/// How far a level came.
pub enum Progress {
    Done {
        /// It may have taken something away.
        has_news: bool,
    },
    /// Time was not enough.
    BrokenOff(BrokenOff),
}

/// A level that time was not enough for.
pub struct BrokenOff {
    /// What is to be known of it.
    pub caveat: String,
    /// Verdicts of some executables are its own.
    pub counts: bool,
    /// No later level can go on.
    pub is_end: bool,
}

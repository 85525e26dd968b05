//! **Question.** What does a recorded link bring into a program besides the units that are
//! compiled from source?
//!
//! Plain data for the analysis: code that was there before the build, code in other languages,
//! libraries that the build did not make, options with a meaning, edits of objects. Nothing is
//! read from the files themselves; [`crate::object_interface`] does that.
//!
//! **Soundness.** Every input of the link is a unit, a part, a prebuilt input or a library, except
//! the start files of the system and linker scripts, which are options. Of an old record the options
//! are not known, and it says so.

mod moved;
mod planning;

use std::path::PathBuf;

use crate::recorded_build::{LinkKind, LinkOption, SymbolEdit};

pub(crate) use moved::moved_link;
pub(crate) use planning::planned_link;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedLink {
    /// In the order of the command line, each file once.
    pub prebuilt: Vec<PrebuiltInput>,
    /// Libraries that the build did not make, in the order of the command line.
    pub libraries: Vec<LinkedLibrary>,
    /// Of the link that made the executable itself.
    pub options: Vec<LinkOption>,
    /// In the order in which they were done.
    pub edits: Vec<ObjectEdit>,
    /// What the build linked before and this link takes in: shared libraries and partial links.
    pub parts: Vec<LinkedPart>,
    /// Everything that is linked, in the order of the command line.
    pub inputs: Vec<PlannedInput>,
    /// The object that the recorded build made of a unit. Of a plan that was moved to another
    /// version there are none.
    pub objects: Vec<UnitObject>,
    /// The record says nothing about options, edits and unknown libraries: all are possible.
    pub is_old_record: bool,
}

/// Code without IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrebuiltInput {
    /// Absolute. Of a unit the source.
    pub path: PathBuf,
    /// Only this member of the archive at `path`.
    pub member: Option<String>,
    pub reason: PrebuiltReason,
    pub whole_archive: bool,
    /// The object that the recorded build made of the file, with its symbols as they are linked: of
    /// data, and of an object that was edited. The content that counts is that of `path`.
    pub interface: Option<PathBuf>,
    pub presence: Presence,
}

/// Whether a version of the program has a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    #[default]
    Own,
    /// The revision lacks it; that of the working tree, which git does not track, is taken.
    StandsIn,
    /// The revision lacks it, and git tracks it in the working tree: it is new.
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrebuiltReason {
    /// No recorded step made it, or one that was left out; the text says which.
    NotMade(String),
    /// A file outside the tree.
    Outside,
    /// Assembly: the unit at this position of the plan.
    Assembly(usize),
    /// A unit in a language that is not read.
    OtherLanguage(usize),
    /// Bytes that are linked as they are; symbols are made of the file's name.
    Data,
}

/// A library of the system, or one that the build did not make and that has a library's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedLibrary {
    /// As on the command line behind `-l`, or the file's name.
    pub name: String,
    /// `None` if it was not found.
    pub path: Option<PathBuf>,
    /// An archive.
    pub is_static: bool,
    pub whole_archive: bool,
}

/// An edit of the objects of these units, by their positions in the plan. An edited archive or
/// partial link stands for all units in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectEdit {
    pub units: Vec<usize>,
    pub changes: Vec<SymbolEdit>,
    /// The units are linked with these changes only, and not as they were compiled or edited
    /// otherwise as well.
    pub is_only_form: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedPart {
    pub path: PathBuf,
    pub kind: LinkKind,
    /// Positions among the plan's units.
    pub units: Vec<usize>,
    pub options: Vec<LinkOption>,
    /// In the order of its own command line.
    pub inputs: Vec<PlannedInput>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedInput {
    /// Position among the plan's units.
    Unit(usize),
    /// An archive that the build made: a member is taken if something needs it.
    Archive {
        path: PathBuf,
        members: Vec<PlannedInput>,
        whole_archive: bool,
        /// Inside `--start-group`: archives are searched again until nothing is missing.
        in_group: bool,
    },
    /// Position in [`PlannedLink::parts`].
    Part(usize),
    /// Position in [`PlannedLink::prebuilt`].
    Prebuilt(usize),
    /// Position in [`PlannedLink::libraries`].
    Library(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitObject {
    pub unit: usize,
    pub path: PathBuf,
}

//! What may a comparison not have seen of the change?

use super::read_input::Executable;
use super::version_texts::is_code;
use super::versions::{ReadVersions, Unpaired};
use crate::failed_unit::FailedUnit;
use knockon_build::stand_ins::is_documentation;
use knockon_change::Sides;
use std::collections::BTreeSet;
use std::path::Path;

impl ReadVersions {
    /// A unit of either version is made from the file.
    pub fn is_read(&self, path: &str) -> bool {
        self.readers.old.contains_key(path) || self.readers.new.contains_key(path)
    }

    /// The executables that alone are made from the file, where no other version has them.
    pub fn only_in_unpaired(&self, path: &str) -> Vec<&Unpaired> {
        let readers = [&self.readers.old, &self.readers.new].map(|readers| readers.get(path));
        let readers: BTreeSet<&String> = readers.into_iter().flatten().flatten().collect();
        let is_compared = |unit: &str| {
            let programs = self.executables.iter();
            let mut programs = programs.flat_map(|row| [&row.old.program, &row.new.program]);
            programs.any(|program| {
                let mut units = program.units.iter();
                units.any(|row| program.name(row.source) == unit)
            })
        };
        if readers.iter().any(|unit| is_compared(unit)) {
            return Vec::new();
        }
        let rows = self.unpaired.iter();
        rows.filter(|row| readers.iter().any(|unit| row.units.contains(*unit)))
            .collect()
    }

    /// A text for people: an edit of it makes no line possible.
    fn is_silent(&self, path: &str) -> bool {
        let name = Path::new(path).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let mut doubts =
            (self.executables.iter()).flat_map(|row| row.old.doubts.iter().chain(&row.new.doubts));
        is_documentation(Path::new(path))
            && !self.is_read(path)
            && !doubts.any(|doubt| doubt.contains(&*name))
    }

    /// The numbers of hunks in texts for people, counted from 1.
    pub fn documentation_hunks(&self) -> BTreeSet<u32> {
        let files = self.edits.files.iter();
        let is_silent = files.flat_map(|(path, hunks)| {
            let is_silent = self.is_silent(path);
            hunks.iter().map(move |_| is_silent)
        });
        let numbered = (1..).zip(is_silent);
        numbered
            .filter(|(_, is_silent)| *is_silent)
            .map(|(number, _)| number)
            .collect()
    }

    /// Something differs that the link of this executable may depend on in a way that is not
    /// followed.
    pub fn is_link_in_doubt(&self, number: usize) -> bool {
        let row = &self.executables[number];
        if row.old.doubts.is_empty() && row.new.doubts.is_empty() {
            return false;
        }
        let differ = |row: &Sides<Executable>| row.old.doubts != row.new.doubts;
        let edited = self.edits.files.keys().chain(&self.changed_files);
        edited.into_iter().any(|path| !self.is_silent(path)) || self.executables.iter().any(differ)
    }

    /// A unit is missing that may hold some of the change and is not followed: then nothing is known to
    /// be unaffected. A unit that fails is a piece of unseen code, and where that holds all that the
    /// unit is made from, another version of it is another piece. Of a unit whose text cannot be
    /// preprocessed it is known only that it is the same unknown code in both versions: if it fails in
    /// both, its text is the same and no edited header can reach it.
    pub fn may_hide_changes(&self) -> bool {
        let is_header = |path: &&String| !is_unit(Path::new(path)) && is_code(Path::new(path));
        let edits_headers = self.edits.files.keys().any(|path| is_header(&path));
        let is_edited = |file: &str| {
            let mut edited = self.edits.files.keys();
            edited.any(|path| Path::new(file).ends_with(path))
        };
        let is_unknown = |failure: &FailedUnit, others: &[FailedUnit]| {
            let other = others.iter().find(|other| other.file == failure.file);
            let is_followed = failure.is_followed && other.is_none_or(|other| other.is_followed);
            !is_followed && (other.is_none() || edits_headers || is_edited(&failure.file))
        };
        let (old, new) = (&self.failures.old, &self.failures.new);
        self.account.interrupted
            || (0..self.executables.len()).any(|number| self.is_link_in_doubt(number))
            || !self.doubtful_units.is_empty()
            || old.iter().any(|failure| is_unknown(failure, new))
            || new.iter().any(|failure| is_unknown(failure, old))
    }
}

/// A file of this name is compiled by itself.
fn is_unit(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "cc" | "cpp" | "cxx" | "s" | "S"))
}

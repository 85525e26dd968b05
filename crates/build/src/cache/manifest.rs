//! The first level: from a unit and the state of its files to an entry.
//!
//! Paths are kept as the unit sees them, so that a manifest holds in every tree: those
//! below the root relative to the root, relative ones relative to the unit's directory,
//! which is itself part of the key relative to the root. A unit that depends on a path
//! that is not UTF-8 is not remembered.

use super::files::{FileHash, Files, Moment};
use super::{Cache, ContentId, KeyBuilder};
use crate::clang::Clang;
use crate::clang::emission::{self, Emission};
use crate::searched_paths::{Unknowable, searched_in_vain};
use crate::unit::{RootMap, UnitCommand};
use crate::unread_attributes::WARNINGS;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// States of the headers that are kept for one unit, the newest first. Each is some
/// kilobytes; switching between more branches than this compiles again.
const MOST_ALTERNATIVES: usize = 16;

/// Options whose value is a path that clang maps wherever it prints it. The value of
/// any other option counts as it is.
const PATH_OPTIONS: [&str; 10] = [
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot",
    "-cxx-isystem",
    "-iwithsysroot",
];

#[derive(Default, Serialize, Deserialize)]
struct Manifest<'a> {
    #[serde(borrow)]
    alternatives: Vec<Alternative<'a>>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Alternative<'a> {
    #[serde(borrow)]
    read: Vec<(KeptPath<'a>, FileHash)>,
    searched_in_vain: Vec<KeptPath<'a>>,
    entry: ContentId,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
enum KeptPath<'a> {
    BelowRoot(&'a str),
    /// Absolute, or relative to the unit's directory.
    AsIs(&'a str),
}

impl<'a> KeptPath<'a> {
    fn keep(path: &'a Path, map: &RootMap) -> Option<KeptPath<'a>> {
        Some(match map.inside(path) {
            Some(inside) => KeptPath::BelowRoot(inside.to_str()?),
            None => KeptPath::AsIs(path.to_str()?),
        })
    }

    fn resolve(self, unit: &UnitCommand) -> PathBuf {
        match self {
            KeptPath::BelowRoot(path) => unit.root.join(path),
            KeptPath::AsIs(path) => unit.directory.join(path),
        }
    }
}

/// The place of a unit in the cache, before it is known whether something is there.
pub(crate) struct Slot<'a> {
    cache: &'a Cache,
    files: &'a Files,
    unit: &'a UnitCommand,
    map: RootMap,
    key: [u8; 32],
    source_hash: FileHash,
}

impl<'a> Slot<'a> {
    /// `None` when the source cannot be read.
    pub(crate) fn of(
        cache: &'a Cache,
        files: &'a Files,
        clang: &Clang,
        unit: &'a UnitCommand,
    ) -> Option<Slot<'a>> {
        let source_hash = files.hash(&unit.source_path())?;
        let map = RootMap::new(&unit.root);
        let key = unit_key(clang, unit, &map, &source_hash);
        Some(Slot {
            cache,
            files,
            unit,
            map,
            key,
            source_hash,
        })
    }

    /// The entry of this unit in the present state of its files, and the files.
    pub(crate) fn find(&self) -> Option<(ContentId, Vec<PathBuf>)> {
        let payload = self.cache.read("manifests", &self.key)?;
        let manifest: Manifest = postcard::from_bytes(payload.bytes()).ok()?;
        let found = manifest
            .alternatives
            .iter()
            .find(|alternative| self.holds(alternative))?;
        let read = found.read.iter();
        let files = read.map(|(path, _)| path.resolve(self.unit)).collect();
        Some((found.entry, files))
    }

    fn holds(&self, alternative: &Alternative) -> bool {
        alternative
            .read
            .iter()
            .all(|(path, hash)| self.files.hash(&path.resolve(self.unit)).as_ref() == Some(hash))
            && alternative
                .searched_in_vain
                .iter()
                .all(|path| !self.files.exists(&path.resolve(self.unit)))
    }

    /// Remembers that clang, started at `start`, made this entry; unless a file may
    /// have changed since, or what clang looked for cannot be known.
    pub(crate) fn remember(&self, start: Moment, emission: &Emission, entry: ContentId) {
        let (Some(read), Some(search_path)) = (&emission.dependencies, &emission.search_path)
        else {
            return;
        };
        // In a path, clang's dependency file would show it as a slash.
        let with_backslash = |flag: &String| flag.contains('\\') && !flag.starts_with("-D");
        if self.unit.flags.iter().any(with_backslash) {
            return;
        }
        let mut hashes = Vec::with_capacity(read.len());
        let searched = searched_in_vain(&self.unit.directory, read, search_path, |path| {
            let (hash, names) = self
                .files
                .unchanged_since(&self.unit.directory.join(path), start)
                .ok_or(Unknowable)?;
            hashes.push(hash);
            names.as_ref().clone()
        });
        let Ok(searched) = searched else { return };
        // The key was made from the source as it was before the start, under the name
        // that the unit gives it and not under what the dependency file makes of that.
        if hashes.first() != Some(&self.source_hash) {
            return;
        }
        let kept = read
            .iter()
            .zip(hashes)
            .map(|(path, hash)| Some((KeptPath::keep(path, &self.map)?, hash)))
            .collect::<Option<Vec<_>>>();
        let vain = searched
            .iter()
            .map(|path| KeptPath::keep(path, &self.map))
            .collect::<Option<Vec<_>>>();
        if let (Some(read), Some(searched_in_vain)) = (kept, vain) {
            self.add(Alternative {
                read,
                searched_in_vain,
                entry,
            });
        }
    }

    fn add(&self, alternative: Alternative) {
        let payload = self.cache.read("manifests", &self.key);
        let mut manifest: Manifest = payload
            .as_ref()
            .and_then(|payload| postcard::from_bytes(payload.bytes()).ok())
            .unwrap_or_default();
        manifest.alternatives.retain(|other| *other != alternative);
        manifest.alternatives.insert(0, alternative);
        manifest.alternatives.truncate(MOST_ALTERNATIVES);
        if let Ok(payload) = postcard::to_stdvec(&manifest) {
            self.cache.write("manifests", &self.key, &payload);
        }
    }
}

fn unit_key(clang: &Clang, unit: &UnitCommand, map: &RootMap, source_hash: &FileHash) -> [u8; 32] {
    let mut key = KeyBuilder::new("manifest");
    key.field(&clang.identity);
    for flag in emission::FLAGS.iter().chain(&WARNINGS) {
        key.field(flag.as_bytes());
    }
    key.field(b"flags of the unit");
    for flag in mapped_flags(&unit.flags, map) {
        key.field(&flag);
    }
    key.field(b"environment");
    for (name, value) in &unit.environment {
        key.field(name.as_bytes());
        key.field(value.as_bytes());
    }
    key.field(b"place");
    key.field(
        emission::shown_directory(unit, map)
            .as_os_str()
            .as_encoded_bytes(),
    );
    key.field(unit.file_argument().as_os_str().as_encoded_bytes());
    key.field(source_hash);
    key.finish()
}

/// The flags with the root replaced in the values of [`PATH_OPTIONS`].
fn mapped_flags(flags: &[String], map: &RootMap) -> Vec<Vec<u8>> {
    let mut mapped = Vec::with_capacity(flags.len());
    let mut path_follows = false;
    for flag in flags {
        let split = if path_follows {
            Some(("", flag.as_str()))
        } else {
            PATH_OPTIONS
                .iter()
                .filter_map(|option| Some((*option, flag.strip_prefix(option)?)))
                .max_by_key(|(option, _)| option.len())
                .map(|(option, value)| (option, value.strip_prefix('=').unwrap_or(value)))
        };
        path_follows = !path_follows && PATH_OPTIONS.contains(&flag.as_str());
        match split.and_then(|(option, value)| Some((option, map.inside(Path::new(value))?))) {
            // A byte that no flag contains marks the root.
            Some((option, inside)) => {
                mapped.push(
                    [
                        option.as_bytes(),
                        &[0],
                        inside.as_os_str().as_encoded_bytes(),
                    ]
                    .concat(),
                );
            }
            None => mapped.push(flag.clone().into_bytes()),
        }
    }
    mapped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(root: &str, flags: &[&str]) -> Vec<Vec<u8>> {
        let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
        mapped_flags(&flags, &RootMap::new(Path::new(root)))
    }

    #[test]
    fn include_directories_of_two_trees_are_equal() {
        assert_eq!(
            mapped(
                "/a",
                &["-I/a/inc", "-isystem", "/a/sys", "--sysroot=/a", "-DX=1"]
            ),
            mapped(
                "/b",
                &["-I/b/inc", "-isystem", "/b/sys", "--sysroot=/b", "-DX=1"]
            )
        );
        assert_ne!(mapped("/a", &["-I/a/inc"]), mapped("/a", &["-I/ainc"]));
        assert_ne!(mapped("/a", &["-I/a/inc"]), mapped("/a", &["-Iinc"]));
    }

    #[test]
    fn root_in_a_macro_counts_as_it_is() {
        assert_ne!(
            mapped("/a", &["-DDATA=\"/a/data\""]),
            mapped("/b", &["-DDATA=\"/b/data\""])
        );
        assert_ne!(mapped("/a", &["-D", "/a"]), mapped("/b", &["-D", "/b"]));
    }
}

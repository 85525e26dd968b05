//! Which texts differ between two trees?

use super::read_input::ReadInput;
use crate::error::{Context as _, Result, refuse};
use knockon_build::configured_files::is_left_by_a_build;
use knockon_build::git::{Repository, files_of_revision, tracked_files, working_tree_files};
use knockon_build::input::Input;
use knockon_build::stand_ins::is_own;
use knockon_change::Sides;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file's text, empty where there is no file. What holds zero bytes is data, unless it is named
/// as a source: a textual diff has no hunks for data.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        // A link to a directory: the files in it are listed themselves.
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => Vec::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    match bytes.contains(&0) && !is_code(path) {
        true => Ok(String::new()),
        false => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// A file of this name may be code of the program.
pub fn is_code(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "inc" | "s" | "S")
    )
}

/// By path.
pub(super) type Texts = BTreeMap<String, String>;

/// The texts of all files that differ between the trees, the paths of these and of data, and the paths
/// of those that a build left there.
pub(super) fn changed_texts(
    asked: &knockon_build::input::Versions,
    repository: Option<&Repository>,
    old: &ReadInput,
    new: &ReadInput,
) -> Result<(Sides<Texts>, BTreeSet<String>, BTreeSet<String>)> {
    let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
    for (input, root) in [(&asked.old, &old.root), (&asked.new, &new.root)] {
        match (input, repository) {
            (Input::WorkingTree(_), Some(repository)) => {
                paths.extend(working_tree_files(repository)?);
            }
            _ => files_below(root, root, &mut paths)?,
        }
    }
    let mut texts: Sides<BTreeMap<String, String>> = Sides::default();
    let (mut changed, mut left) = (BTreeSet::new(), BTreeSet::new());
    let sources = source_files(asked, repository, old, new)?;
    // Files that say how to build are not part of the program.
    for path in paths.into_iter().filter(|path| !is_own(path)) {
        let (one, two) = (old.root.join(&path), new.root.join(&path));
        if is_same_file(&one, &two) {
            continue;
        }
        let (before, after) = (read_text(&one)?, read_text(&two)?);
        let is_left = is_left_by_a_build(&path) && !sources.contains(&path);
        let path = path.to_string_lossy().into_owned();
        if is_left && std::fs::read(&one).ok() != std::fs::read(&two).ok() {
            changed.insert(path.clone());
            left.insert(path);
        } else if before != after {
            changed.insert(path.clone());
            texts.old.insert(path.clone(), before);
            texts.new.insert(path, after);
        } else if std::fs::read(one).ok() != std::fs::read(two).ok() {
            changed.insert(path);
        }
    }
    Ok((texts, changed, left))
}

/// The files that are no left-overs of a build, whatever they are called: git tracks them, or a unit
/// reads them.
fn source_files(
    asked: &knockon_build::input::Versions,
    repository: Option<&Repository>,
    old: &ReadInput,
    new: &ReadInput,
) -> Result<BTreeSet<PathBuf>> {
    let read = old.files.iter().chain(&new.files);
    let mut files: BTreeSet<PathBuf> = read.flat_map(|(_, files)| files.iter().cloned()).collect();
    if let Some(repository) = repository {
        files.extend(tracked_files(repository)?);
        for input in [&asked.old, &asked.new] {
            if let Input::Revision(revision) = input {
                files.extend(files_of_revision(repository, revision)?);
            }
        }
    }
    Ok(files)
}

fn is_same_file(one: &Path, two: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (one.metadata(), two.metadata()) {
        (Ok(one), Ok(two)) => one.ino() == two.ino() && one.dev() == two.dev(),
        _ => false,
    }
}

/// Files below a directory, but for what tools keep there for themselves.
fn files_below(root: &Path, directory: &Path, into: &mut BTreeSet<PathBuf>) -> Result<()> {
    if !directory.is_dir() {
        refuse!("{} is not a directory", directory.display());
    }
    let entries = std::fs::read_dir(directory)
        .with_context(|| format!("cannot list {}", directory.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", directory.display()))?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            files_below(root, &path, into)?;
        } else if kind.is_ok_and(|kind| kind.is_file())
            && let Ok(relative) = path.strip_prefix(root)
            && may_be_source(relative)
        {
            into.insert(relative.to_owned());
        }
    }
    Ok(())
}

/// What a build leaves behind is not part of a version.
fn may_be_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    !matches!(
        extension,
        Some(
            "o" | "lo"
                | "a"
                | "la"
                | "so"
                | "d"
                | "Po"
                | "Plo"
                | "gch"
                | "pch"
                | "bc"
                | "ll"
                | "log"
        )
    )
}

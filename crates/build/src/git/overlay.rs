//! An exported tree together with files that no version has.
//!
//! **Why.** A revision that is not built by itself is compiled with what the working tree's build
//! generated. A flag that adds the working tree to the search for headers would show every header
//! of it, also those that only the new version has. So there is a tree of its own: the files of the
//! export, and at their places links to the generated files and to nothing else.
//!
//! **How.** The export is shared and never written. Its files are linked a second time (they have
//! one content for ever); generated files are symbolic links, so that what is read is what the
//! working tree holds now. The tree is named by the list of its files, made aside and renamed into
//! its place. Trees that were not used for a week are removed.
//!
//! **Cost.** One link for each file, once for each list of generated files.

use super::GitError;
use super::export::{ExportedTree, Workshop};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const PREFIX: &str = "with-";
const UNUSED: Duration = Duration::from_secs(7 * 24 * 3600);

/// The root of a tree with all files of the export, and `files` of `from` where the export has none.
pub fn export_with_files(
    exported: &ExportedTree,
    from: &Path,
    files: &[PathBuf],
) -> Result<PathBuf, GitError> {
    if files.is_empty() {
        return Ok(exported.root.clone());
    }
    let mut hasher = blake3::Hasher::new();
    for path in [from].into_iter().chain(files.iter().map(PathBuf::as_path)) {
        hasher.update(path.as_os_str().as_bytes());
        hasher.update(&[0]);
    }
    let name = format!("{PREFIX}{}", &hasher.finalize().to_hex()[..16]);
    let place = exported.root.with_file_name(name);
    if place.is_dir() {
        mark_as_used(&place);
        return Ok(place);
    }
    remove_unused(&exported.root);
    let store = exported.root.ancestors().nth(2).unwrap_or(&exported.root);
    let workshop = Workshop::open(store)?;
    let prepared = workshop.path("overlay");
    link_tree(&exported.root, &prepared).map_err(GitError::io(&prepared))?;
    for file in files {
        let target = prepared.join(file);
        // Where the version has a file of this name, or one instead of a directory, it stays.
        if let Some(parent) = target.parent()
            && std::fs::create_dir_all(parent).is_ok()
            && target.symlink_metadata().is_err()
        {
            let original = link_target(from, file, &place);
            std::os::unix::fs::symlink(original, &target).map_err(GitError::io(&target))?;
        }
    }
    match std::fs::rename(&prepared, &place) {
        // Somebody else was faster.
        Err(_) if place.is_dir() => Ok(place),
        Err(error) => Err(GitError::io(&place)(error)),
        Ok(()) => Ok(place),
    }
}

/// What the link at a file's place leads to. A link that a build made into the working tree would
/// lead to files of the new version there: it leads to the same place of this tree.
fn link_target(from: &Path, file: &Path, place: &Path) -> PathBuf {
    let original = from.join(file);
    let is_link = original
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink());
    let inside = || {
        let (from, real) = (from.canonicalize().ok()?, original.canonicalize().ok()?);
        Some(place.join(real.strip_prefix(from).ok()?))
    };
    match is_link.then(inside).flatten() {
        Some(inside) => inside,
        None => original,
    }
}

fn link_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            link_tree(&entry.path(), &target)?;
        } else if std::fs::hard_link(entry.path(), &target).is_err() {
            // A file can have so many names and no more. Links stay what they are.
            match entry.file_type()?.is_symlink() {
                true => std::os::unix::fs::symlink(std::fs::read_link(entry.path())?, &target)?,
                false => {
                    std::fs::copy(entry.path(), &target)?;
                }
            }
        }
    }
    Ok(())
}

/// Failing to is no error: the tree is made anew some day.
fn mark_as_used(place: &Path) {
    if let Ok(directory) = std::fs::File::open(place) {
        let _ = directory.set_modified(SystemTime::now());
    }
}

fn remove_unused(root: &Path) {
    let Some(entries) = root
        .parent()
        .and_then(|place| std::fs::read_dir(place).ok())
    else {
        return;
    };
    for entry in entries.flatten() {
        let is_overlay = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = modified.is_ok_and(|time| {
            let age = SystemTime::now().duration_since(time);
            age.is_ok_and(|age| age > UNUSED)
        });
        if is_overlay && is_old {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

//! Which files are part of a version, as git tells?
//!
//! Tracked files are; so may be new ones that nobody ignores. Ignored ones never are. Paths are
//! relative to the working tree, and files of submodules that are there are included.

use super::command::GitCommand;
use super::repository::Repository;
use super::{GitError, Revision};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The files of the index.
pub fn tracked_files(repository: &Repository) -> Result<BTreeSet<PathBuf>, GitError> {
    // A submodule that git cannot enter is listed as one path.
    let whole = listing(repository, &["--cached", "--recurse-submodules"])?.output()?;
    if whole.success {
        return Ok(paths(&whole.stdout));
    }
    Ok(paths(&listing(repository, &["--cached"])?.run()?))
}

/// Files and directories of the working tree that are neither tracked nor ignored. A directory is
/// listed where it is a repository of its own.
pub fn new_files(repository: &Repository) -> Result<BTreeSet<PathBuf>, GitError> {
    let found = listing(repository, &["--others", "--exclude-standard"])?.run()?;
    Ok(paths(&found))
}

/// The files of a revision, without those of submodules.
pub fn files_of_revision(
    repository: &Repository,
    revision: &Revision,
) -> Result<BTreeSet<PathBuf>, GitError> {
    let tree = revision.tree.as_str();
    let listed = repository
        .git(&["ls-tree", "-r", "-z", "--full-tree", tree])
        .run()?;
    let rows = listed.split(|byte| *byte == 0).filter_map(|row| {
        let at = row.iter().position(|byte| *byte == b'\t')?;
        let (kind, name) = row.split_at(at);
        let is_submodule = kind.starts_with(b"160000 ");
        (!is_submodule).then(|| path(&name[1..]))
    });
    Ok(rows.collect())
}

fn listing(repository: &Repository, options: &[&str]) -> Result<GitCommand, GitError> {
    let root = repository
        .working_tree
        .as_deref()
        .ok_or_else(|| GitError::NoWorkingTree {
            path: repository.git_directory.clone(),
        })?;
    let arguments = [&["ls-files", "-z"], options].concat();
    Ok(repository
        .git(&arguments)
        .environment("GIT_WORK_TREE", root)
        .environment("GIT_INDEX_FILE", repository.index_file())
        .in_directory(root))
}

fn paths(listed: &[u8]) -> BTreeSet<PathBuf> {
    let names = listed.split(|byte| *byte == 0);
    names.filter(|name| !name.is_empty()).map(path).collect()
}

/// Without the slash at the end of a directory.
fn path(name: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(name)).components().collect()
}

//! Writes a tree with its submodules into a directory, and makes the result safe to build on.
//!
//! Links that leave the tree are removed: in the cache directory they would point at something
//! else than in the user's working tree, and a later write through one would land outside. A link
//! stays when it is relative and climbs, before all else, no higher than the root. That suffices:
//! the directories above a link are real ones, because git never puts a file below a link, so the
//! climb is exact, and what follows only descends, through links of which the same holds.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use serde::{Deserialize, Serialize};

use super::GitError;
use super::private_repository::PrivateRepository;
use super::submodules::{
    SubmodulePlaces, candidate_git_directories, submodule_names, submodules_of,
};

/// The modification time of every exported file, in seconds since 1970: 2000-01-01.
pub const FIXED_TIME: i64 = 946_684_800;

/// A part of a revision that the export does not show as the user would see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportCaveat {
    /// The submodule's commit is not on this machine; its directory is empty.
    SubmoduleMissing { path: PathBuf, commit: String },
    /// A link out of the tree, which was left out.
    LinkLeavesTree { path: PathBuf, target: PathBuf },
    /// A file whose content is kept elsewhere by Git LFS; the export has the pointer to it.
    LargeFilePointer { path: PathBuf },
}

impl std::fmt::Display for ExportCaveat {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::SubmoduleMissing { path, commit } => write!(
                formatter,
                "submodule {} at {commit} is not present; run `git submodule update --init --recursive`",
                path.display()
            ),
            Self::LinkLeavesTree { path, target } => {
                write!(
                    formatter,
                    "link {} to {} leaves the tree and was left out",
                    path.display(),
                    target.display()
                )
            }
            Self::LargeFilePointer { path } => {
                write!(
                    formatter,
                    "{} is kept by Git LFS; its content was not fetched",
                    path.display()
                )
            }
        }
    }
}

/// Writes `tree` and its submodules into the empty directory `root`.
pub(super) fn check_out(
    private: &mut PrivateRepository,
    tree: &str,
    places: SubmodulePlaces,
    root: &Path,
) -> Result<Vec<ExportCaveat>, GitError> {
    let mut caveats = Vec::new();
    let mut pending = vec![(tree.to_owned(), PathBuf::new(), places)];
    while let Some((tree, below, places)) = pending.pop() {
        let directory = root.join(&below);
        private.check_out(&tree, &directory)?;
        let submodules = submodules_of(private, &tree)?;
        let names = if submodules.is_empty() {
            Vec::new()
        } else {
            submodule_names(&directory)?
        };
        for submodule in submodules {
            let path = below.join(&submodule.path);
            let found = find_commit(private, &places, &submodule.path, &names, &submodule.commit)?;
            match found {
                Some((inner_tree, git_directory)) => {
                    make_real_directory(root, &path, &tree)?;
                    let inner = SubmodulePlaces {
                        git_directories: vec![git_directory],
                        working_tree: places
                            .working_tree
                            .as_ref()
                            .map(|outer| outer.join(&submodule.path)),
                    };
                    pending.push((inner_tree, path, inner));
                }
                None => caveats.push(ExportCaveat::SubmoduleMissing {
                    path,
                    commit: submodule.commit,
                }),
            }
        }
    }
    settle(root, &mut caveats)?;
    caveats.sort_unstable_by_key(|caveat| format!("{caveat:?}"));
    Ok(caveats)
}

/// The tree of a submodule's commit and the `.git` directory that has it.
fn find_commit(
    private: &mut PrivateRepository,
    places: &SubmodulePlaces,
    path: &Path,
    names: &[(PathBuf, String)],
    commit: &str,
) -> Result<Option<(String, PathBuf)>, GitError> {
    for candidate in candidate_git_directories(places, path, names) {
        private.borrow_objects(&candidate.join("objects"))?;
        let tree = private
            .git(&[
                "rev-parse",
                "--verify",
                "--quiet",
                &format!("{commit}^{{tree}}"),
            ])
            .output()?;
        if tree.success {
            return Ok(Some((
                String::from_utf8_lossy(&tree.stdout).trim().to_owned(),
                candidate,
            )));
        }
    }
    Ok(None)
}

/// Creates `root/path`, and refuses when a link stands in the way.
fn make_real_directory(root: &Path, path: &Path, tree: &str) -> Result<(), GitError> {
    let mut directory = root.to_owned();
    for part in path.components() {
        directory.push(part);
        if std::fs::symlink_metadata(&directory).is_err() {
            std::fs::create_dir(&directory).map_err(GitError::io(&directory))?;
        }
        let is_directory =
            std::fs::symlink_metadata(&directory).is_ok_and(|metadata| metadata.is_dir());
        if !is_directory || !matches!(part, Component::Normal(_)) {
            let detail = format!("submodule path {}", path.display());
            return Err(GitError::UnsafeTree {
                tree: tree.to_owned(),
                detail,
            });
        }
    }
    Ok(())
}

/// Removes links that leave the tree, gives all files the fixed time, notes pointers of Git LFS.
fn settle(root: &Path, caveats: &mut Vec<ExportCaveat>) -> Result<(), GitError> {
    let time = Timespec {
        tv_sec: FIXED_TIME,
        tv_nsec: 0,
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    let mut directories = vec![(root.to_owned(), 0)];
    while let Some((directory, depth)) = directories.pop() {
        for entry in std::fs::read_dir(&directory).map_err(GitError::io(&directory))? {
            let entry = entry.map_err(GitError::io(&directory))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(GitError::io(&path))?;
            let relative = || path.strip_prefix(root).unwrap_or(&path).to_owned();
            if kind.is_dir() {
                directories.push((path, depth + 1));
                continue;
            }
            if kind.is_symlink() {
                let target = std::fs::read_link(&path).map_err(GitError::io(&path))?;
                if !stays_inside(&target, depth) {
                    std::fs::remove_file(&path).map_err(GitError::io(&path))?;
                    caveats.push(ExportCaveat::LinkLeavesTree {
                        path: relative(),
                        target,
                    });
                    continue;
                }
            } else if is_large_file_pointer(&path).map_err(GitError::io(&path))? {
                caveats.push(ExportCaveat::LargeFilePointer { path: relative() });
            }
            utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW).map_err(|error| {
                GitError::Io {
                    path: path.clone(),
                    source: error.into(),
                }
            })?;
        }
    }
    Ok(())
}

/// Whether a link that stands `depth` directories below the root provably stays below the root.
fn stays_inside(target: &Path, depth: usize) -> bool {
    let mut climbed = 0;
    let mut descended = false;
    for part in target.components() {
        match part {
            Component::ParentDir if !descended => climbed += 1,
            Component::CurDir => {}
            Component::Normal(name) if name != OsStr::new("") => descended = true,
            _ => return false,
        }
    }
    climbed <= depth
}

/// By the first line that the specification of Git LFS prescribes.
fn is_large_file_pointer(path: &Path) -> std::io::Result<bool> {
    const FIRST_LINE: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
    let length = std::fs::metadata(path)?.len();
    if !(FIRST_LINE.len() as u64..1024).contains(&length) {
        return Ok(false);
    }
    let mut start = [0; FIRST_LINE.len()];
    std::fs::File::open(path)?.read_exact(&mut start)?;
    Ok(start == *FIRST_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_inside_when_it_climbs_first_and_no_higher_than_the_root() {
        assert!(stays_inside(Path::new("../include/a.h"), 1));
        assert!(stays_inside(Path::new("./b"), 0));
        assert!(!stays_inside(Path::new("../a"), 0));
        assert!(!stays_inside(Path::new("/etc/passwd"), 5));
        // `sub` may itself be a link to the root, and its parent lies outside.
        assert!(!stays_inside(Path::new("sub/../a"), 0));
    }
}

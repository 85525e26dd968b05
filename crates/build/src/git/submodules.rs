//! Where are the objects of a submodule, if they are on this machine at all?
//!
//! A tree names a submodule's commit, not its repository. The objects lie in `modules/NAME` of the
//! outer `.git` directory (NAME from `.gitmodules`), or in the submodule's own `.git` in the working
//! tree, or were never fetched. Only object directories are used; no configuration is read there.

use std::path::{Component, Path, PathBuf};

use super::GitError;
use super::command::GitCommand;
use super::private_repository::{PrivateRepository, fields, path_from};

/// A submodule that a tree names.
pub(super) struct Submodule {
    /// Relative to the tree that names it.
    pub path: PathBuf,
    pub commit: String,
}

/// Where the repositories of a tree's submodules may be.
#[derive(Clone, Default)]
pub(super) struct SubmodulePlaces {
    /// `.git` directories whose `modules` may hold them.
    pub git_directories: Vec<PathBuf>,
    /// Where the tree is checked out by the user.
    pub working_tree: Option<PathBuf>,
}

/// The submodules that `tree` names.
pub(super) fn submodules_of(
    private: &PrivateRepository,
    tree: &str,
) -> Result<Vec<Submodule>, GitError> {
    let listing = private
        .git(&["ls-tree", "-r", "-z", "--full-tree", tree])
        .run()?;
    let links = fields(&listing).filter_map(|line| {
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        let commit = std::str::from_utf8(&line[..tab])
            .ok()?
            .strip_prefix("160000 commit ")?;
        Some(Submodule {
            path: path_from(&line[tab + 1..]),
            commit: commit.to_owned(),
        })
    });
    Ok(links.collect())
}

/// The names that the exported `.gitmodules` gives to paths.
pub(super) fn submodule_names(root: &Path) -> Result<Vec<(PathBuf, String)>, GitError> {
    let file = root.join(".gitmodules");
    // Like git, do not follow a link here.
    if !std::fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(Vec::new());
    }
    let listed = GitCommand::new(
        ["config", "--no-includes", "-z", "--file"]
            .map(std::ffi::OsStr::new)
            .into_iter()
            .chain([
                file.as_os_str(),
                "--get-regexp".as_ref(),
                r"^submodule\..*\.path$".as_ref(),
            ]),
    )
    .without_configuration()
    .output()?;
    let names = fields(&listed.stdout).filter_map(|entry| {
        let line_break = entry.iter().position(|&byte| byte == b'\n')?;
        let key = std::str::from_utf8(&entry[..line_break]).ok()?;
        let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
        Some((path_from(&entry[line_break + 1..]), name.to_owned()))
    });
    Ok(names.collect())
}

/// The `.git` directories where the submodule may be, likeliest first.
pub(super) fn candidate_git_directories(
    places: &SubmodulePlaces,
    submodule: &Path,
    names: &[(PathBuf, String)],
) -> Vec<PathBuf> {
    let mut candidates = Vec::new();
    let name = names
        .iter()
        .find(|(path, _)| path == submodule)
        .map(|(_, name)| Path::new(name));
    // As in git, a name that climbs out of `modules` is ignored.
    let inside = |name: &&Path| {
        name.components()
            .all(|part| matches!(part, Component::Normal(_)))
    };
    for name in name.into_iter().filter(inside).chain([submodule]) {
        for git_directory in &places.git_directories {
            candidates.push(git_directory.join("modules").join(name));
        }
    }
    if let Some(working_tree) = &places.working_tree {
        let checked_out = working_tree.join(submodule);
        let dot_git = checked_out.join(".git");
        if dot_git.is_dir() {
            candidates.push(dot_git);
        } else if let Ok(text) = std::fs::read_to_string(&dot_git)
            && let Some(target) = text.trim_end().strip_prefix("gitdir: ")
        {
            candidates.push(checked_out.join(target));
        }
    }
    candidates.retain(|candidate| candidate.join("objects").is_dir());
    candidates
}

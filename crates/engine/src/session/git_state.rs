//! Could git give another answer than before?
//!
//! Asking git takes some twenty processes. What it says of revisions and of the files of a working tree
//! follows from its own directory without the objects, from the user's configuration, and from the
//! tree, which is looked at in any case. As long as the first two are the same, nobody needs to ask.
//! Configuration that names further files is not followed: then git is always asked.

use super::file_state::FileState;
use knockon_build::git::Repository;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub struct GitState {
    files: BTreeMap<PathBuf, FileState>,
    /// Nothing else decides what git says.
    is_followed: bool,
}

impl GitState {
    /// As seen from a directory in the repository.
    pub fn of(repository: &Repository, directory: &Path) -> GitState {
        let paths = paths(repository, directory);
        GitState {
            is_followed: !configurations(repository)
                .iter()
                .any(|path| names_more(path)),
            files: paths
                .into_iter()
                .map(|path| {
                    let state = FileState::of(&path);
                    (path, state)
                })
                .collect(),
        }
    }

    pub fn is_still(&mut self, repository: &Repository, directory: &Path) -> bool {
        self.is_followed
            && paths(repository, directory).iter().eq(self.files.keys())
            && self
                .files
                .iter_mut()
                .all(|(path, state)| state.is_still(path))
    }
}

fn paths(repository: &Repository, directory: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    add_files(&repository.git_directory, &mut found);
    add_files(&repository.common_directory, &mut found);
    found.extend(configurations(repository));
    // A repository inside of this one would be the nearer one.
    let nearer = directory.ancestors().map(|place| place.join(".git"));
    found.extend(nearer.filter(|path| *path != repository.git_directory));
    found
}

fn configurations(repository: &Repository) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let own = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(home.as_ref()?.join(".config")));
    let mut found = vec![
        repository.common_directory.join("config"),
        repository.git_directory.join("config.worktree"),
        PathBuf::from("/etc/gitconfig"),
    ];
    found.extend(home.map(|home| home.join(".gitconfig")));
    if let Some(own) = own {
        found.extend(["config", "ignore", "attributes"].map(|name| own.join("git").join(name)));
    }
    found
}

/// A configuration that names other files which decide what is listed.
fn names_more(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    text.contains("excludesfile") || text.contains("[include")
}

fn add_files(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_directory {
            found.insert(entry.path());
        } else if entry.file_name() != "objects" {
            add_files(&entry.path(), found);
        }
    }
}

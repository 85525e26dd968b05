//! A repository of our own that borrows the user's objects.
//!
//! It lives in a temporary directory and has no configuration, hook, remote or attribute file. What
//! is written (an index, and trees made from a copy of the user's index) is written here.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::command::{GitCommand, one_line};
use super::{GitError, Repository, TreeId};

pub(super) struct PrivateRepository {
    git_directory: PathBuf,
    borrowed: Vec<PathBuf>,
}

impl PrivateRepository {
    pub fn create(git_directory: PathBuf, user: &Repository) -> Result<Self, GitError> {
        let format = format!("--object-format={}", user.object_format);
        GitCommand::new(["init", "--quiet", "--bare", "--template=", &format])
            .without_configuration()
            .environment("GIT_DIR", &git_directory)
            .run()?;
        let mut private = Self {
            git_directory,
            borrowed: Vec::new(),
        };
        private.borrow_objects(&user.object_directory)?;
        Ok(private)
    }

    /// Makes the objects in this directory readable here.
    pub fn borrow_objects(&mut self, object_directory: &Path) -> Result<(), GitError> {
        if self.borrowed.iter().any(|known| known == object_directory) {
            return Ok(());
        }
        self.borrowed.push(object_directory.to_owned());
        let mut lines = Vec::new();
        for directory in &self.borrowed {
            lines.extend(quoted(directory.as_os_str().as_bytes()));
            lines.push(b'\n');
        }
        let information = self.git_directory.join("objects/info");
        let alternates = information.join("alternates");
        std::fs::create_dir_all(&information)
            .and_then(|()| std::fs::write(&alternates, lines))
            .map_err(GitError::io(alternates))
    }

    pub fn git(&self, arguments: &[&str]) -> GitCommand {
        GitCommand::new(arguments)
            .without_configuration()
            .environment("GIT_DIR", &self.git_directory)
    }

    /// Writes the files of `tree` into the empty directory `destination`.
    pub fn check_out(&self, tree: &str, destination: &Path) -> Result<(), GitError> {
        let index = self.git_directory.join("index");
        if index.exists() {
            std::fs::remove_file(&index).map_err(GitError::io(index))?;
        }
        let output = self
            .git(&["-c", "core.bare=false", "read-tree", "-u", "--reset", tree])
            .environment("GIT_WORK_TREE", destination)
            .in_directory(destination)
            .output()?;
        if output.success {
            return Ok(());
        }
        let (tree, detail) = (tree.to_owned(), output.stderr);
        if detail.contains("invalid path") || detail.contains("verify_path") {
            return Err(GitError::UnsafeTree { tree, detail });
        }
        let missing = [
            "unable to read",
            "missing",
            "failed to unpack",
            "bad object",
            "invalid object",
            "could not read",
        ];
        if missing.iter().any(|sign| detail.contains(sign)) {
            let path = self.borrowed.last().cloned().unwrap_or_default();
            return Err(GitError::MissingObjects { path, tree, detail });
        }
        Err(GitError::CommandFailed {
            command: format!("read-tree {tree}"),
            detail,
        })
    }

    /// The user's index as a tree. git would store the tree in the repository and refresh the
    /// index file, so it is given a copy of the index and our own object directory.
    pub fn write_index_as_tree(&self, user: &Repository) -> Result<TreeId, GitError> {
        if user.working_tree.is_none() {
            return Err(GitError::NoWorkingTree {
                path: user.git_directory.clone(),
            });
        }
        let copy = self.git_directory.join("index-copy");
        let index = user.index_file();
        // Without an index nothing is staged: git reads a missing file as an empty index.
        if index.exists() {
            std::fs::copy(&index, &copy).map_err(GitError::io(index))?;
        }
        let output = user
            .git(&["write-tree"])
            .environment("GIT_INDEX_FILE", &copy)
            .environment("GIT_OBJECT_DIRECTORY", self.git_directory.join("objects"))
            .output()?;
        if output.success {
            return Ok(TreeId(
                one_line(output.stdout).to_string_lossy().into_owned(),
            ));
        }
        if output.stderr.contains("unmerged") {
            return Err(GitError::UnmergedIndex {
                detail: output.stderr,
            });
        }
        Err(GitError::CommandFailed {
            command: "write-tree".to_owned(),
            detail: output.stderr,
        })
    }
}

/// A path as the `alternates` file spells it: in quotes, so that no byte of it has a meaning.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for &byte in path {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', byte]),
            b'\n' => text.extend(b"\\n"),
            0x20..=0x7e => text.push(byte),
            other => text.extend(format!("\\{other:03o}").into_bytes()),
        }
    }
    text.push(b'"');
    text
}

/// The lines of a `-z` listing.
pub(super) fn fields(listing: &[u8]) -> impl Iterator<Item = &[u8]> {
    listing
        .split(|&byte| byte == 0)
        .filter(|field| !field.is_empty())
}

/// A path from the bytes that git printed.
pub(super) fn path_from(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()))
}

//! Which repository does a path belong to, and where are its parts?

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::GitError;
use super::command::{GitCommand, one_line};
use crate::build_inputs::list_files;

/// The user's repository. Nothing in it is ever written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The `.git` directory of this worktree.
    pub git_directory: PathBuf,
    /// The `.git` directory that all worktrees share.
    pub common_directory: PathBuf,
    pub object_directory: PathBuf,
    /// `sha1` or `sha256`.
    pub object_format: String,
    /// The checked-out files; a bare repository has none.
    pub working_tree: Option<PathBuf>,
    pub is_shallow: bool,
}

impl Repository {
    /// What errors call this repository.
    pub fn place(&self) -> &Path {
        self.working_tree.as_deref().unwrap_or(&self.git_directory)
    }

    /// The index; inside a hook of this repository the one that the hook was given.
    pub(super) fn index_file(&self) -> PathBuf {
        self.index_file_given(std::env::var_os("GIT_INDEX_FILE"))
    }

    fn index_file_given(&self, given: Option<OsString>) -> PathBuf {
        given
            .map(|given| self.place().join(given))
            .filter(|given| given.starts_with(&self.git_directory) && given.is_file())
            .unwrap_or_else(|| self.git_directory.join("index"))
    }

    pub(super) fn git(&self, arguments: &[&str]) -> GitCommand {
        let mut whole = vec![OsStr::new("--git-dir"), self.git_directory.as_os_str()];
        whole.extend(arguments.iter().map(OsStr::new));
        GitCommand::new(whole)
    }
}

/// Finds the repository that contains `path`.
pub fn discover(path: &Path) -> Result<Repository, GitError> {
    let directory = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(path)
    };
    let directory = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    let directory = std::fs::canonicalize(directory).map_err(GitError::io(directory))?;
    let ask = |questions: &[&str]| {
        let mut arguments = vec!["rev-parse", "--path-format=absolute"];
        arguments.extend(questions);
        GitCommand::new(arguments).in_directory(&directory).output()
    };
    let answered = |question: &str| -> Result<PathBuf, GitError> {
        let output = ask(&[question])?;
        if output.success {
            return Ok(PathBuf::from(one_line(output.stdout)));
        }
        Err(refusal(&directory, question, output.stderr))
    };
    // One answer per call: a path may contain line breaks.
    let git_directory = answered("--git-dir")?;
    let facts = ask(&[
        "--show-object-format",
        "--is-shallow-repository",
        "--is-inside-work-tree",
    ])?;
    let facts = String::from_utf8_lossy(&facts.stdout).into_owned();
    let mut facts = facts.lines();
    let object_format = facts.next().unwrap_or("sha1").to_owned();
    let is_shallow = facts.next() == Some("true");
    let working_tree = if facts.next() == Some("true") {
        Some(answered("--show-toplevel")?)
    } else {
        None
    };
    let objects = ask(&["--git-path", "objects"])?;
    Ok(Repository {
        common_directory: answered("--git-common-dir")?,
        object_directory: PathBuf::from(one_line(objects.stdout)),
        git_directory,
        object_format,
        working_tree,
        is_shallow,
    })
}

fn refusal(directory: &Path, question: &str, stderr: String) -> GitError {
    let path = directory.to_owned();
    if stderr.contains("dubious ownership") {
        let named = stderr.split('\'').nth(1).map(PathBuf::from);
        return GitError::DubiousOwnership {
            path: named.unwrap_or(path),
        };
    }
    if stderr.contains("not a git repository") {
        return GitError::NotARepository { path };
    }
    GitError::CommandFailed {
        command: format!("rev-parse {question}"),
        detail: stderr,
    }
}

/// The files of the working tree as it is: tracked or new, but not ignored; relative, sorted. The
/// files of submodules are included.
pub fn working_tree_files(repository: &Repository) -> Result<Vec<PathBuf>, GitError> {
    let root = repository
        .working_tree
        .as_deref()
        .ok_or_else(|| GitError::NoWorkingTree {
            path: repository.git_directory.clone(),
        })?;
    let listed = repository
        .git(&[
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .environment("GIT_WORK_TREE", root)
        .environment("GIT_INDEX_FILE", repository.index_file())
        .in_directory(root)
        .run()?;
    let mut files = Vec::new();
    for name in listed
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        let relative = PathBuf::from(OsStr::from_bytes(name));
        match std::fs::symlink_metadata(root.join(&relative)) {
            // A submodule, or a repository inside the repository.
            Ok(metadata) if metadata.is_dir() => {
                let inner = root.join(&relative);
                let inside = list_files(&inner).map_err(GitError::io(inner))?;
                files.extend(inside.into_iter().map(|file| relative.join(file)));
            }
            Ok(_) => files.push(relative),
            // Deleted in the working tree.
            Err(_) => {}
        }
    }
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// git's own test switch makes it refuse any repository; its real words must be understood.
    #[test]
    fn a_repository_of_another_user_is_refused_with_the_command_that_allows_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let git = |arguments: &[&str]| {
            GitCommand::new(arguments)
                .without_configuration()
                .environment("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
                .in_directory(directory.path())
                .output()
                .expect("git runs")
        };
        git(&["init", "--quiet"]);
        let refused = git(&["rev-parse", "--git-dir"]);
        assert!(!refused.success);
        let error = refusal(directory.path(), "--git-dir", refused.stderr);
        assert!(
            matches!(error, GitError::DubiousOwnership { .. }),
            "{error:?}"
        );
        assert!(
            error
                .to_string()
                .contains("git config --global --add safe.directory /"),
            "{error}"
        );
    }

    /// `git commit --all` gives its hooks another index; one of another repository is not ours.
    #[test]
    fn a_hook_names_its_index_and_another_repository_does_not() {
        let directory = tempfile::tempdir().expect("a directory");
        let git_directory = directory.path().join(".git");
        std::fs::create_dir(&git_directory).expect("created");
        for name in [".git/index.lock", "elsewhere"] {
            std::fs::write(directory.path().join(name), "").expect("written");
        }
        let repository = Repository {
            common_directory: git_directory.clone(),
            object_directory: git_directory.join("objects"),
            object_format: "sha1".to_owned(),
            working_tree: Some(directory.path().to_owned()),
            is_shallow: false,
            git_directory: git_directory.clone(),
        };
        let index_given = |name: &str| repository.index_file_given(Some(name.into()));
        assert_eq!(
            index_given(".git/index.lock"),
            git_directory.join("index.lock")
        );
        assert_eq!(index_given("elsewhere"), git_directory.join("index"));
        assert_eq!(
            repository.index_file_given(None),
            git_directory.join("index")
        );
    }
}

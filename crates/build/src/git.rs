//! What did the program look like at this git revision?
//!
//! A revision becomes a directory below the cache directory, through the `git` program alone and
//! without a trace in the user's repository: no worktree, no lock, no refreshed index, no object.
//!
//! **How.** Each export makes a private, empty repository that borrows the user's objects
//! (`objects/info/alternates`), reads the tree into that repository's own index and checks it out.
//! `git archive` was not chosen because it leaves out what `export-ignore` names and rewrites what
//! `export-subst` names; `checkout-index` inside the user's repository was not chosen because the
//! repository's and the user's configuration would hold, with the programs that they name.
//!
//! **Why nothing of the repository runs.** In the private repository no configuration but ours
//! holds: no smudge filter, hook, file-system monitor, credential helper, remote or lazy fetch is
//! known there. The few commands that must see the user's repository (`rev-parse`, `cat-file`,
//! `merge-base`, `for-each-ref`, `ls-files`, `write-tree` on a copy of the index with a private
//! object directory) have hooks, monitor, protocols and optional locks switched off.
//!
//! **What an export is.** The committed files with the line endings, encodings and keywords that
//! the tree's own `.gitattributes` ask for; it depends on nothing but the tree (and on which
//! submodules are present), so it is stored under the tree's id and shared by all commits with that
//! tree. All files get one fixed modification time: then `make` sees no generated file as older than
//! its source, and `__TIMESTAMP__` is the same everywhere. Replaced objects (`git replace`) are not
//! followed.
//!
//! Cost: about the time of `git checkout` once per tree and no call of git after that; resolving a
//! name takes three calls.

mod check_out;
mod command;
mod export;
mod listing;
mod overlay;
mod private_repository;
mod repository;
mod revision;
mod submodules;

use std::path::PathBuf;

pub use check_out::{ExportCaveat, FIXED_TIME};
pub use export::{ExportedTree, check_out_revision, export, export_staged};
pub use listing::{files_of_revision, new_files, tracked_files};
pub use overlay::export_with_files;
pub use repository::{Repository, discover, working_tree_files};
pub use revision::{CommitId, Revision, TreeId, nearest_revisions, resolve, resolve_range};

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(
        "the program `git` was not found; install git 2.31 or newer, or name paths instead of revisions"
    )]
    GitMissing,
    #[error("{} is not inside a git repository; run from inside one, or name paths instead of revisions", path.display())]
    NotARepository { path: PathBuf },
    #[error(
        "git refuses the repository at {}, which belongs to another user; if you trust it, run \
         `git config --global --add safe.directory {}`",
        path.display(),
        path.display()
    )]
    DubiousOwnership { path: PathBuf },
    #[error("the repository at {} has no working tree and no index; name two revisions", path.display())]
    NoWorkingTree { path: PathBuf },
    #[error("the repository at {} has no commit yet; commit the old version first", path.display())]
    NoCommits { path: PathBuf },
    #[error("`{name}` is not a revision of {}{}{}", path.display(), crate::nearest_name::did_you_mean(near), shallow_hint(*shallow))]
    UnknownRevision {
        name: String,
        path: PathBuf,
        near: Vec<String>,
        shallow: bool,
    },
    #[error("`{name}` stands for several revisions; write more of it: {detail}")]
    AmbiguousRevision { name: String, detail: String },
    #[error(
        "`{name}` is a file, not a revision with a tree; name a commit, tag, branch or directory"
    )]
    NotATree { name: String },
    #[error("{old} and {new} have no common ancestor{}", shallow_hint(*shallow))]
    NoMergeBase {
        old: String,
        new: String,
        shallow: bool,
    },
    #[error("the index has unmerged files; resolve the conflicts before using --staged: {detail}")]
    UnmergedIndex { detail: String },
    #[error(
        "the repository at {} lacks some objects of {tree} (a partial clone, or damage); fetch them \
         with `git fetch --refetch` or `git checkout`: {detail}",
        path.display()
    )]
    MissingObjects {
        path: PathBuf,
        tree: String,
        detail: String,
    },
    #[error("the tree {tree} names a file that cannot be written safely: {detail}")]
    UnsafeTree { tree: String, detail: String },
    /// Ctrl-C reaches git, too, which is in the same process group.
    #[error("`git {command}` was interrupted")]
    Interrupted { command: String },
    #[error("`git {command}` failed: {detail}")]
    CommandFailed { command: String, detail: String },
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl GitError {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

fn shallow_hint(shallow: bool) -> &'static str {
    if shallow {
        "; this clone is shallow, `git fetch --unshallow` brings the rest"
    } else {
        ""
    }
}

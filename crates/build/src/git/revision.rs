//! Which commit and tree does the user mean?

use std::fmt;

use super::command::one_line;
use super::{GitError, Repository};
use crate::nearest_name::nearest_names;

/// The full id of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitId(pub(super) String);

/// The full id of a tree: of the files and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TreeId(pub(super) String);

impl CommitId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TreeId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for TreeId {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A revision that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// As the user wrote it, for reports.
    pub name: String,
    /// None for a name that stands for a tree, such as `HEAD:src`.
    pub commit: Option<CommitId>,
    pub tree: TreeId,
}

/// The revision that `name` stands for.
pub fn resolve(repository: &Repository, name: &str) -> Result<Revision, GitError> {
    let unknown = |near| GitError::UnknownRevision {
        name: name.to_owned(),
        path: repository.place().to_owned(),
        near,
        shallow: repository.is_shallow,
    };
    // No revision begins with a dash, and git would read it as an option.
    if name.is_empty() || name.starts_with('-') || name.contains('\0') {
        return Err(unknown(Vec::new()));
    }
    let found = repository.git(&["rev-parse", "--verify", name]).output()?;
    if !found.success {
        if found.stderr.contains("is ambiguous") {
            return Err(GitError::AmbiguousRevision {
                name: name.to_owned(),
                detail: found.stderr,
            });
        }
        if name == "HEAD" {
            return Err(GitError::NoCommits {
                path: repository.place().to_owned(),
            });
        }
        return Err(unknown(nearest_revisions(repository, name)?));
    }
    let id = one_line(found.stdout).to_string_lossy().into_owned();
    let peel = |kind: &str| -> Result<Option<String>, GitError> {
        let peeled = repository
            .git(&[
                "rev-parse",
                "--verify",
                "--quiet",
                &format!("{id}^{{{kind}}}"),
            ])
            .output()?;
        Ok(peeled
            .success
            .then(|| one_line(peeled.stdout).to_string_lossy().into_owned()))
    };
    // rev-parse accepts any full id, present or not; peeling needs the object.
    let Some(tree) = peel("tree")? else {
        let exists = repository.git(&["cat-file", "-e", &id]).output()?.success;
        return Err(if exists {
            GitError::NotATree {
                name: name.to_owned(),
            }
        } else {
            unknown(Vec::new())
        });
    };
    Ok(Revision {
        name: name.to_owned(),
        commit: peel("commit")?.map(CommitId),
        tree: TreeId(tree),
    })
}

/// The two revisions of `A..B` or `A...B` (from their merge base to B); a missing side is `HEAD`.
/// None if `text` is no range.
pub fn resolve_range(
    repository: &Repository,
    text: &str,
) -> Result<Option<(Revision, Revision)>, GitError> {
    let Some((old, rest)) = text.split_once("..") else {
        return Ok(None);
    };
    let (new, from_merge_base) = match rest.strip_prefix('.') {
        Some(new) => (new, true),
        None => (rest, false),
    };
    let side = |name: &str| resolve(repository, if name.is_empty() { "HEAD" } else { name });
    let (old, new) = (side(old)?, side(new)?);
    if !from_merge_base {
        return Ok(Some((old, new)));
    }
    let commit = |revision: &Revision| {
        revision.commit.clone().ok_or_else(|| GitError::NotATree {
            name: revision.name.clone(),
        })
    };
    let (old_commit, new_commit) = (commit(&old)?, commit(&new)?);
    let base = repository
        .git(&["merge-base", old_commit.as_str(), new_commit.as_str()])
        .output()?;
    if !base.success {
        return Err(GitError::NoMergeBase {
            old: old.name,
            new: new.name,
            shallow: repository.is_shallow,
        });
    }
    let base_id = one_line(base.stdout).to_string_lossy().into_owned();
    let mut merge_base = resolve(repository, &base_id)?;
    merge_base.name = format!("merge base of {} and {}", old.name, new.name);
    Ok(Some((merge_base, new)))
}

/// The branches and tags whose names are nearest to `name`.
pub fn nearest_revisions(repository: &Repository, name: &str) -> Result<Vec<String>, GitError> {
    let listed = repository
        .git(&[
            "for-each-ref",
            "--format=%(refname:short)",
            "refs/heads",
            "refs/tags",
            "refs/remotes",
        ])
        .run()?;
    let names = String::from_utf8_lossy(&listed);
    let stem = name.split(['~', '^', '@', ':']).next().unwrap_or(name);
    Ok(nearest_names(stem, names.lines().chain(["HEAD"]), 3))
}

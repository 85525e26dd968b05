//! Is the captured build still that of the working tree?
//!
//! `capture` keeps a copy of the files that steer the build beside its record. Where one of them is
//! not the same any more, the recorded commands are those of another build, and to use them would
//! hide what the edit changes. Contents are compared: a file that is only touched is the same.

use anyhow::{Context as _, Result, bail};
use knockon_build::build_inputs::{FileTree, differing_build_inputs, is_build_input};
use knockon_build::build_plan::{COMPILE_COMMANDS, RECORD};
use knockon_build::configuration::FILE_NAME;
use knockon_build::git::{Repository, discover, working_tree_files};
use knockon_build::scratch::scratch_directory_in;
use std::path::{Path, PathBuf};

/// Where the copies are, below the directory of the build.
const COPIES: &str = ".knockon/inputs";
/// Names in a message.
const MAX_NAMES: usize = 5;

/// Keeps the build inputs of a git working tree whose root was captured.
pub fn keep_build_inputs(root: &Path) -> Result<()> {
    let Ok(repository) = discover(root) else {
        return Ok(());
    };
    if repository.working_tree.as_deref() != Some(root) {
        return Ok(());
    }
    let place = root.join(COPIES);
    let failed = || format!("cannot keep the build's inputs in {}", place.display());
    let parent = place.parent().unwrap_or(root);
    std::fs::create_dir_all(parent).with_context(failed)?;
    // Whole or not at all: without copies nothing is compared.
    let prepared = scratch_directory_in(parent).with_context(failed)?;
    let copies = prepared.path().join("new");
    std::fs::create_dir(&copies).with_context(failed)?;
    for path in build_inputs(&repository)? {
        let copy = copies.join(&path);
        if let Some(parent) = copy.parent() {
            std::fs::create_dir_all(parent).with_context(failed)?;
        }
        let original = root.join(&path);
        // Links are compared as links. What is listed and gone is deleted and not yet committed.
        if let Ok(target) = std::fs::read_link(&original) {
            std::os::unix::fs::symlink(target, copy).with_context(failed)?;
        } else if original.is_file() {
            std::fs::copy(original, copy).with_context(failed)?;
        }
    }
    if place.exists() {
        std::fs::rename(&place, prepared.path().join("old")).with_context(failed)?;
    }
    std::fs::rename(&copies, &place).with_context(failed)
}

/// Stops where a build input is not as it was when the build was captured.
pub fn require_same_inputs(root: &Path, repository: &Repository) -> Result<()> {
    let copies = root.join(COPIES);
    if !root.join(RECORD).is_file() || !copies.is_dir() {
        return Ok(());
    }
    let then = knockon_build::build_inputs::list_files(&copies)
        .with_context(|| format!("cannot list {}", copies.display()))?;
    // What git lists may have changed since, as when a build directory is ignored: the files that were
    // kept are compared wherever they are.
    let mut now = build_inputs(repository)?;
    now.extend(then.iter().cloned());
    now.retain(|path| root.join(path).is_file() || root.join(path).is_symlink());
    now.sort_unstable();
    now.dedup();
    let then = FileTree {
        root: &copies,
        files: &then,
    };
    let now = FileTree { root, files: &now };
    let differing = differing_build_inputs(then, now, &[])
        .with_context(|| format!("cannot compare the build's inputs in {}", root.display()))?;
    let mut names: Vec<String> = differing
        .iter()
        .map(|input| input.path.display().to_string())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    bail!(
        "files that steer the build have changed since it was captured: {}{more}; clean and capture it again, or say --assume-same-build",
        names.join(", ")
    )
}

/// Knockon's own files say how to build, and are no part of the build that was captured.
fn build_inputs(repository: &Repository) -> Result<Vec<PathBuf>> {
    let mut files = working_tree_files(repository)?;
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default();
        !path.starts_with(".knockon")
            && name != FILE_NAME
            && name != COMPILE_COMMANDS
            && is_build_input(path, &[])
    });
    Ok(files)
}

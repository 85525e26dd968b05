//! The commits of a package's repository: upstream's tree first, then one a patch.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// One patch of the series.
#[derive(Clone, Debug)]
pub struct Patch {
    pub name: String,
    /// None if it did not apply.
    pub commit: Option<String>,
}

/// The packages whose build was recorded.
pub fn package_names(directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(names),
        Err(error) => return Err(error).context(directory.display().to_string()),
    };
    for entry in entries {
        let entry = entry?;
        if entry.path().join(".git/captured").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The patches that touch C, in the order they are applied, and those that did not apply.
pub fn patches(root: &Path) -> Result<Vec<Patch>> {
    let log = git(root, &["log", "--reverse", "--format=%H %s"])?;
    let mut found = Vec::new();
    for line in log.lines().skip(1) {
        let (commit, name) = line.split_once(' ').context("a commit and its message")?;
        let changed = git(
            root,
            &["diff", "--name-only", &format!("{commit}~1"), commit],
        )?;
        if changed.lines().any(is_c) {
            found.push(Patch {
                name: name.to_owned(),
                commit: Some(commit.to_owned()),
            });
        }
    }
    let rejected = std::fs::read_to_string(root.join(".git/not-applied")).unwrap_or_default();
    found.extend(rejected.lines().map(|name| Patch {
        name: name.to_owned(),
        commit: None,
    }));
    Ok(found)
}

fn is_c(path: &str) -> bool {
    path.ends_with(".c") || path.ends_with(".h")
}

pub fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()
        .context("git cannot be started")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("git {}: {}", arguments.join(" "), message.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

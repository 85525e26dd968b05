//! The frozen list of version pairs, and the commit that each one is.

use crate::corpus::diff::repository::git;
use anyhow::{Context, Result, bail};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of Debian's patches.
    Patch,
    /// A refactoring of our own: the meaning stays.
    Refactoring,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenPair {
    pub kind: Kind,
    pub package: String,
    /// The patch's subject, or the name of the edit.
    pub name: String,
}

impl FrozenPair {
    /// By its package or by itself.
    pub fn is_named(&self, name: &str) -> bool {
        self.package == name || self.name == name
    }
}

/// All pairs, those of a package together.
pub fn read_pairs(list: &Path) -> Result<Vec<FrozenPair>> {
    let text = std::fs::read_to_string(list).with_context(|| list.display().to_string())?;
    let mut pairs = parse_pairs(&text)?;
    // Stable: patches before edits, each in the order of the list.
    pairs.sort_by(|one, other| one.package.cmp(&other.package));
    Ok(pairs)
}

fn parse_pairs(text: &str) -> Result<Vec<FrozenPair>> {
    let lines = text.lines().map(str::trim);
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (kind, package, name) = match words[..] {
            ["patch", package, name] => (Kind::Patch, package, name),
            ["edit", package, name] => (Kind::Refactoring, package, name),
            _ => bail!("`{line}` is no pair: `patch PACKAGE SUBJECT` or `edit PACKAGE NAME`"),
        };
        Ok(FrozenPair {
            kind,
            package: package.to_owned(),
            name: name.to_owned(),
        })
    })
    .collect()
}

/// The commit that is compared with its parent, or why there is none.
pub fn commit_of(root: &Path, pair: &FrozenPair) -> Result<String, String> {
    let found = match pair.kind {
        Kind::Refactoring => {
            let name = format!("refs/edits/{}", pair.name);
            git(root, &["rev-parse", "--verify", "--quiet", &name]).ok()
        }
        Kind::Patch => {
            let log = git(root, &["log", "--format=%H %s"]).map_err(|error| error.to_string())?;
            let has_subject =
                |line: &&str| line.split_once(' ').is_some_and(|row| row.1 == pair.name);
            let line = log.lines().find(has_subject);
            line.and_then(|line| line.split(' ').next())
                .map(str::to_owned)
        }
    };
    match found {
        Some(commit) => Ok(commit.trim().to_owned()),
        None => Err(match pair.kind {
            Kind::Patch => "the repository has no commit of this patch".to_owned(),
            Kind::Refactoring => "the edit was not made; scripts/semantic-edits does it".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_patch_or_an_edit_of_a_package() {
        let text = "# why\n\npatch less fix.patch\nedit jq jq-slot-early\n";
        let pairs = parse_pairs(text).expect("pairs");
        assert_eq!(pairs[0].kind, Kind::Patch);
        assert_eq!(
            (pairs[1].package.as_str(), pairs[1].name.as_str()),
            ("jq", "jq-slot-early")
        );
        assert!(parse_pairs("edit jq").is_err());
    }

    #[test]
    fn the_frozen_pairs_are_a_hundred_and_a_third_are_refactorings() {
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/semantic-pairs");
        let pairs = read_pairs(&list).expect("the frozen list");
        let edits = pairs.iter().filter(|pair| pair.kind == Kind::Refactoring);
        let edits = edits.count();
        assert!(
            pairs.len() >= 100 && 3 * edits >= pairs.len(),
            "{edits} of {}",
            pairs.len()
        );
    }
}

//! **Question.** How much less does the change reach when its meaning is known, and what does that
//! cost beside clang?
//!
//! **Source.** [sem-dcia] §5, Tables 3 and 4, on the version pairs that `scripts/semantic-pairs`
//! froze: Debian's patches (`scripts/patch-repositories`), and refactorings of our own
//! (`scripts/semantic-edits`). Of each pair the lines that are possible by coarse dataflow (the
//! paper's baseline: all statements of a changed function are sources), by ours, and by each
//! semantic level, within the default budget.
//!
//! The runs are the `knockon` binary's own, measured from outside. A pair that has no result has a
//! row with the reason, and a pair that proofs do not help has one that names the cause.

mod causes;
mod compared;
mod pairs;
mod tables;

use super::diff::REPOSITORIES;
use super::diff::yardstick::Yardstick;
use crate::results_document::replace_section;
use anyhow::{Context, Result, bail};
use compared::{PairResult, compare_pair};
use pairs::{FrozenPair, read_pairs};
use std::io::Write as _;
use std::path::Path;

/// Compares the frozen pairs of the named packages, or of all, and prints the tables; those of all
/// go into `docs/results.md`. A pair may be named, too.
pub fn run(names: &[String]) -> Result<()> {
    let clang = knockon_build::clang::find_clang(None)?;
    let all = read_pairs(Path::new("scripts/semantic-pairs"))?;
    let chosen: Vec<&FrozenPair> = match names.is_empty() {
        true => all.iter().collect(),
        false => chosen(&all, names)?,
    };
    let mut results = Vec::new();
    let mut current: Option<(&str, Yardstick<'_>)> = None;
    for pair in chosen {
        let root = Path::new(REPOSITORIES).join(&pair.package);
        let root = root
            .canonicalize()
            .with_context(|| format!("{}; scripts/corpus-semantic makes it", root.display()))?;
        let yardstick = match &mut current {
            Some((package, yardstick)) if *package == pair.package => yardstick,
            _ => {
                let yardstick = Yardstick::new(&root, &clang)?;
                &mut current.insert((&pair.package, yardstick)).1
            }
        };
        let result = PairResult {
            pair: pair.clone(),
            outcome: compare_pair(&root, pair, yardstick)?,
        };
        writeln!(std::io::stderr(), "{}", tables::progress(&result))?;
        results.push(result);
    }
    let text = tables::tables(&results, &clang.version);
    std::io::stdout().write_all(text.as_bytes())?;
    if names.is_empty() {
        replace_section(Path::new("docs/results.md"), "semantic", &text)?;
    }
    let failed = results.iter().filter(|row| row.outcome.is_err()).count();
    if failed > 0 {
        bail!("{failed} pairs have no result; the table says why");
    }
    Ok(())
}

/// Those of the named packages, and those that are named themselves.
fn chosen<'p>(all: &'p [FrozenPair], names: &[String]) -> Result<Vec<&'p FrozenPair>> {
    for name in names {
        if !all.iter().any(|pair| pair.is_named(name)) {
            bail!("scripts/semantic-pairs has neither a package nor a pair {name}");
        }
    }
    let is_chosen = |pair: &&FrozenPair| names.iter().any(|name| pair.is_named(name));
    Ok(all.iter().filter(is_chosen).collect())
}

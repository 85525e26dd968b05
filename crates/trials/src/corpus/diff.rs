//! **Question.** What does `knockon diff` say of real changes, and what does it cost beside clang?
//!
//! **Source.** The patches that Debian puts on top of seven packages, each one a version pair:
//! `scripts/patch-repositories` makes a git repository of each package with one commit a patch, and
//! records the build of the last state. Each patch that touches C is compared with its parent, by
//! the fine map (the changed statements are sources) and by the coarse one (all statements of a
//! changed function are, as in [sem-dcia]).
//!
//! The runs are the `knockon` binary's own, measured from outside. A pair that has no result has a
//! row with the reason.

pub(super) mod measured_run;
mod patch;
pub(super) mod report_rows;
pub(super) mod repository;
mod tables;
pub(super) mod yardstick;

use crate::results_document::replace_section;
use anyhow::{Result, bail};
use patch::compare_patch;
use repository::{package_names, patches};
use std::io::Write as _;
use std::path::Path;
use yardstick::Yardstick;

/// Where `scripts/patch-repositories` leaves the repositories.
pub const REPOSITORIES: &str = "corpus/diffs";

/// Compares every patch of the named packages, or of all, and prints the tables; those of all go
/// into `docs/results.md`. Fails if a pair has no result.
pub fn run(names: &[String]) -> Result<()> {
    let clang = knockon_build::clang::find_clang(None)?;
    let all = package_names(Path::new(REPOSITORIES))?;
    if all.is_empty() {
        bail!("{REPOSITORIES} holds no repository; scripts/patch-repositories makes them");
    }
    let chosen = match names.is_empty() {
        true => &all,
        false => names,
    };
    let mut results = Vec::new();
    for name in chosen {
        let root = Path::new(REPOSITORIES).join(name).canonicalize()?;
        let mut yardstick = Yardstick::new(&root, &clang)?;
        for patch in patches(&root)? {
            let result = compare_patch(name, &root, patch, &mut yardstick)?;
            writeln!(std::io::stderr(), "{}", tables::progress(&result))?;
            results.push(result);
        }
    }
    let text = tables::tables(&results, &clang.version);
    std::io::stdout().write_all(text.as_bytes())?;
    if names.is_empty() {
        replace_section(Path::new("docs/results.md"), "diff", &text)?;
    }
    let failed = results.iter().filter(|row| row.outcome.is_err()).count();
    if failed > 0 {
        bail!("{failed} pairs have no result; the table says why");
    }
    Ok(())
}

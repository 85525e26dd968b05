//! `knockon-corpus`: reads, checks and measures the captured packages.

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::Path;

#[derive(Parser)]
#[command(
    about = "Reads, checks and measures the captured packages of the corpus",
    version
)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Read every unit and hold counts, graphs and promotion against LLVM's own tools.
    Check { packages: Vec<String> },
    /// Measure time and memory beside clang's; without names also writes docs/results.md.
    Bench { packages: Vec<String> },
    /// Measure execute-after sets as [sea] §4 does; without names also writes docs/results.md.
    After { packages: Vec<String> },
    /// Hold execute-after to slices as [sea] §4 does; without names also writes docs/results.md.
    Slices { packages: Vec<String> },
    /// Compare with Frama-C's impact plug-in; without names also writes docs/results.md.
    Peers { programs: Vec<String> },
    /// Compare each of Debian's patches with the state before it; without names also writes docs/results.md.
    Diff { packages: Vec<String> },
    /// Compare frozen version pairs at every level, as [sem-dcia] §5 does; without names also writes docs/results.md.
    Semantic {
        /// Packages, or single pairs of scripts/semantic-pairs.
        names: Vec<String>,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Task::Check { packages } => knockon_trials::corpus::run(&packages_or_all(packages)?),
        Task::After { packages } => knockon_trials::corpus::run_execute_after(&packages),
        Task::Slices { packages } => knockon_trials::corpus::slices::run(&packages),
        Task::Peers { programs } => knockon_trials::corpus::peers::run(&programs),
        Task::Diff { packages } => knockon_trials::corpus::diff::run(&packages),
        Task::Semantic { names } => knockon_trials::corpus::semantic::run(&names),
        Task::Bench { packages } => {
            let is_whole = packages.is_empty();
            knockon_trials::bench::run(&packages_or_all(packages)?, is_whole)
        }
    }
}

/// All captured packages, when none is named.
fn packages_or_all(packages: Vec<String>) -> Result<Vec<String>> {
    if !packages.is_empty() {
        return Ok(packages);
    }
    let mut all = Vec::new();
    for entry in std::fs::read_dir(Path::new(knockon_trials::corpus::BUILDS))? {
        all.push(entry?.file_name().to_string_lossy().into_owned());
    }
    all.sort();
    Ok(all)
}

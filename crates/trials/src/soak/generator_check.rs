//! Are the generator's own promises kept? Programs without planted undefined behaviour compile,
//! give one output at every optimisation level and under gcc, and no sanitizer finds anything.

use super::workers::each;
use crate::against_clang::HarnessError;
use crate::against_clang::native::{Build, Toolchain};
use crate::against_clang::outcome::Outcome;
use crate::generator::{Shape, Trial, generate};
use crate::random::Random;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Programs that broke a promise: seed and how.
pub type Breaches = Vec<(u64, String)>;

/// Checks `count` programs from `seed` on.
pub fn check_generator(
    toolchain: &Toolchain,
    seed: u64,
    count: usize,
    threads: usize,
) -> Result<Breaches, HarnessError> {
    let mut breaches = Breaches::new();
    let one = |index: usize| {
        let seed = seed.wrapping_add(index as u64);
        Ok(breach(toolchain, seed)?.map(|how| (seed, how)))
    };
    let interrupted = AtomicBool::new(false);
    each(count, threads, &interrupted, one, |found| {
        breaches.extend(found);
    })?;
    breaches.sort();
    Ok(breaches)
}

/// How the program of this seed breaks a promise, if it does.
pub fn breach(toolchain: &Toolchain, seed: u64) -> Result<Option<String>, HarnessError> {
    let trial = generate(seed, &Shape::any(&mut Random::new(seed)));
    let scratch = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let path = scratch.path().join("program.c");
    std::fs::write(&path, trial.source()).map_err(|source| HarnessError::File {
        path: path.clone(),
        source,
    })?;
    match outcomes(toolchain, &path, &trial) {
        Ok(outcomes) => Ok(first_breach(&outcomes)),
        Err(HarnessError::Rejected { message, .. }) => Ok(Some(message)),
        Err(error) => Err(error),
    }
}

fn outcomes(
    toolchain: &Toolchain,
    path: &Path,
    trial: &Trial,
) -> Result<Vec<(&'static str, Outcome)>, HarnessError> {
    let input = trial.input();
    let mut outcomes = Vec::new();
    for (name, build) in [
        ("clang -O0", Build::Plain),
        ("clang -O2", Build::Optimised),
        ("sanitized", Build::Sanitized),
        ("memory sanitizer", Build::Memory),
    ] {
        outcomes.push((name, toolchain.outcome(path, build, &input)?));
    }
    if Command::new("gcc").arg("--version").output().is_ok() {
        let gcc = Toolchain {
            clang: "gcc".into(),
            ..toolchain.clone()
        };
        outcomes.push(("gcc -O2", gcc.outcome(path, Build::Optimised, &input)?));
    }
    Ok(outcomes)
}

fn first_breach(outcomes: &[(&str, Outcome)]) -> Option<String> {
    let (_, plain) = outcomes.first()?;
    outcomes.iter().find_map(|(name, outcome)| {
        if let Some(report) = &outcome.undefined {
            return Some(format!("{name}: {}", report.message));
        }
        let same = outcome.ending == plain.ending && outcome.stdout == plain.stdout;
        (!same).then(|| {
            format!(
                "{name} differs: {:?} and {:?}",
                outcome.ending, plain.ending
            )
        })
    })
}

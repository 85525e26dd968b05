//! Many units at once: their programs in the order given, what failed, what it cost.
//!
//! Units are independent, so they are compiled in parallel and the results sorted by
//! position: the number of jobs changes nothing but the time. A unit that fails is
//! reported with the compiler's own words and the others go on.

use crate::compile::{CompileError, CompileOptions, CompiledUnit, Origin, Run};
use crate::unit::UnitCommand;
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The units of one build.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// In the order given, without those that failed.
    pub units: Vec<CompiledUnit>,
    /// In the order given.
    pub failures: Vec<UnitFailure>,
    /// The failures, and what is to say about the cache.
    pub caveats: Vec<Caveat>,
    /// The flag was raised: units are missing that have no failure.
    pub interrupted: bool,
    pub times: CompileTimes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitFailure {
    /// The unit's position among those given.
    pub index: usize,
    /// Relative to the root where it lies below it.
    pub file: PathBuf,
    /// Of an assembly file and the like: it is no part of the program, but no failure
    /// of the compiler.
    pub not_analysed: bool,
    pub message: String,
}

/// CPU times over all units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompileTimes {
    pub clang: Duration,
    pub read: Duration,
}

/// Given after each unit.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub done: usize,
    pub total: usize,
    pub file: &'a Path,
    /// `None` for a unit that failed.
    pub origin: Option<Origin>,
}

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("cannot make a temporary directory: {0}; is TMPDIR writable?")]
    Scratch(std::io::Error),
    #[error("the current directory is not known: {0}")]
    CurrentDirectory(std::io::Error),
    #[error("cannot start threads: {0}; try fewer --jobs")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Compiles the units. `progress` is called from several threads.
pub fn compile_units(
    units: &[UnitCommand],
    options: &CompileOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Compiled, BuildError> {
    let units = units
        .iter()
        .map(absolute)
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(BuildError::CurrentDirectory)?;
    let run = Run::new(*options).map_err(BuildError::Scratch)?;
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build()?;
    let done = AtomicUsize::new(0);
    let results: Vec<Result<CompiledUnit, CompileError>> = threads.install(|| {
        units
            .par_iter()
            .enumerate()
            .map(|(index, unit)| {
                if options.interrupted.load(Ordering::Relaxed) {
                    return Err(CompileError::Interrupted);
                }
                let result = run.compile(index, unit);
                progress(Progress {
                    done: done.fetch_add(1, Ordering::Relaxed) + 1,
                    total: units.len(),
                    file: &unit.display_path(),
                    origin: result.as_ref().ok().map(|unit| unit.origin),
                });
                result
            })
            .collect()
    });
    if let Some(cache) = options.cache {
        cache.finish_run();
    }
    let mut compiled = Compiled::default();
    for (index, (unit, result)) in units.iter().zip(results).enumerate() {
        match result {
            Ok(unit) => {
                compiled.times.clang += unit.clang_time;
                compiled.times.read += unit.read_time;
                compiled.units.push(unit);
            }
            Err(CompileError::Interrupted) => compiled.interrupted = true,
            Err(error) => {
                if let CompileError::Rejected { clang_time, .. } = error {
                    compiled.times.clang += clang_time;
                }
                compiled.failures.push(UnitFailure {
                    index,
                    file: unit.display_path(),
                    not_analysed: matches!(error, CompileError::NotAnalysed(_)),
                    message: error.to_string(),
                });
            }
        }
    }
    compiled.caveats = caveats(&compiled.failures, options);
    Ok(compiled)
}

fn absolute(unit: &UnitCommand) -> std::io::Result<UnitCommand> {
    Ok(UnitCommand {
        root: std::path::absolute(&unit.root)?,
        directory: std::path::absolute(&unit.directory)?,
        ..unit.clone()
    })
}

fn caveats(failures: &[UnitFailure], options: &CompileOptions) -> Vec<Caveat> {
    let caveat = |kind, message| Caveat {
        kind,
        function: Name::default(),
        place: PlaceId::default(),
        message,
    };
    let failed = failures.iter().map(|failure| {
        let kind = if failure.not_analysed {
            CaveatKind::UnseenCode
        } else {
            CaveatKind::UnitFailed
        };
        caveat(
            kind,
            format!("{}: {}", failure.file.display(), failure.message),
        )
    });
    let cache = options
        .cache
        .and_then(|cache| cache.problem())
        .map(|problem| caveat(CaveatKind::CacheUnavailable, problem.to_owned()));
    failed.chain(cache).collect()
}

//! From arguments to requests of the engine.

use crate::arguments::{Overflow, ProgramArguments, ReadingArguments, VersionsArguments};
use crate::interruption::Interruptible;
use anyhow::{Context as _, Result};
use knockon_engine::options::{self, ProgramOptions, ReadOptions, VersionsOptions};

pub fn versions(arguments: &VersionsArguments, run: &Interruptible) -> Result<VersionsOptions> {
    Ok(VersionsOptions {
        old: arguments.old.clone(),
        new: arguments.new.clone(),
        staged: arguments.staged,
        reading: reading(&arguments.reading, run)?,
    })
}

pub fn program(arguments: &ProgramArguments, run: &Interruptible) -> Result<ProgramOptions> {
    Ok(ProgramOptions {
        program: arguments.program.clone(),
        reading: reading(&arguments.reading, run)?,
    })
}

fn reading(arguments: &ReadingArguments, run: &Interruptible) -> Result<ReadOptions> {
    Ok(ReadOptions {
        directory: std::env::current_dir().context("the current directory is not known")?,
        build: arguments.build.clone(),
        executable: arguments.executable.clone(),
        allow_run: arguments.allow_run,
        assume_same_build: arguments.assume_same_build,
        overflow: match arguments.overflow {
            Overflow::Undefined => options::Overflow::Undefined,
            Overflow::Wrap => options::Overflow::Wrap,
        },
        jobs: arguments.jobs,
        no_cache: arguments.no_cache,
        one_by_one: arguments.timings,
        exports: run.exports.clone(),
    })
}

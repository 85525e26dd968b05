//! `knockon capture -- BUILD COMMAND`.

use crate::arguments::{CaptureArguments, CaptureWay};
use crate::{Outcome, exit_code};
use anyhow::{Context, Result};
use knockon_build::build_plan::RECORD;
use knockon_build::capture::{BuildOutput, CaptureOptions, capture};
use knockon_build::recorded_build::{self, Interception, RecordedBuild};
use knockon_engine::read::captured_inputs::keep_build_inputs;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

pub fn run(arguments: &CaptureArguments) -> Result<Outcome> {
    // Ctrl-C reaches the build, which is in the same process group; what it had
    // done until then is still written.
    ctrlc::set_handler(|| {}).context("cannot handle Ctrl-C")?;
    let directory = std::env::current_dir().context("the current directory is not known")?;
    let options = CaptureOptions {
        interception: arguments.by.map(|way| match way {
            CaptureWay::Preload => Interception::Preload,
            CaptureWay::StandIns => Interception::StandIns,
        }),
        output: BuildOutput::StandardError,
    };
    let mut build = capture(&arguments.command, &directory, &options)?;
    let interrupted = build.signal == Some(2) || build.exit_code == Some(130);
    let is_whole = !build.failed && !interrupted;
    let failed = build.failed;
    if build.compiles.is_empty() || !is_whole && !arguments.keep_going {
        return Ok(not_recorded(arguments, &build, interrupted));
    }
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot make {}", parent.display()))?;
    }
    let mut text = String::new();
    let earlier = earlier_record(arguments, is_whole);
    let seen = build.compiles.len();
    let merged = earlier.map(|earlier| recorded_build::merged(&earlier, &build));
    let is_merged = match merged {
        Some(Ok(merged)) => {
            build = merged;
            let _ = writeln!(text, "{}", merged_steps(seen, interrupted));
            true
        }
        Some(Err(reason)) => {
            let place = arguments.output.display();
            let _ = writeln!(
                std::io::stderr(),
                "knockon: what was seen cannot be merged into {place}: {reason}; {place} stays as it was"
            );
            return Ok(ended(interrupted));
        }
        None => false,
    };
    recorded_build::write(&arguments.output, &build)?;
    if arguments.output == Path::new(RECORD) {
        keep_apart(&directory.join(RECORD))?;
        // Steps of the earlier build hold for the inputs of that build.
        if !is_merged {
            keep_build_inputs(&directory)?;
        }
    }
    let programs = recorded_build::linked_programs(&build);
    let _ = writeln!(
        text,
        "recorded {} compile, {} archive and {} link steps in {}",
        build.compiles.len(),
        build.archives.len(),
        build.links.len(),
        arguments.output.display()
    );
    for program in &programs {
        let noun = if program.units.len() == 1 {
            "unit"
        } else {
            "units"
        };
        let _ = writeln!(
            text,
            "  {} from {} {noun}",
            program.name,
            program.units.len()
        );
        for unresolved in &program.unresolved {
            let _ = writeln!(text, "    unresolved: {unresolved}");
        }
    }
    if programs
        .iter()
        .any(|program| !program.unresolved.is_empty())
    {
        text.push_str(
            "an unresolved file was up to date, or comes from elsewhere; if it was up to date, clean (`make clean`) and capture again\n",
        );
    }
    for caveat in &build.caveats {
        let _ = writeln!(text, "caveat: {}", caveat.message);
    }
    let code = match (interrupted, failed) {
        (true, _) => exit_code::INTERRUPTED,
        (false, true) => {
            if !is_merged {
                let _ = writeln!(text, "the build failed; what it did until then is recorded");
            }
            exit_code::ERROR
        }
        (false, false) => exit_code::FINISHED,
    };
    Ok(Outcome { text, code })
}

/// The record that an unfinished build adds to. One that cannot be read is of no use to anybody.
fn earlier_record(arguments: &CaptureArguments, is_whole: bool) -> Option<RecordedBuild> {
    if is_whole || !arguments.output.is_file() {
        return None;
    }
    recorded_build::read(&arguments.output).ok()
}

fn merged_steps(seen: usize, interrupted: bool) -> String {
    let end = if interrupted {
        "was interrupted"
    } else {
        "failed"
    };
    let (steps, verb) = match seen {
        1 => ("1 compile step".to_owned(), "replaces its"),
        count => (format!("{count} compile steps"), "replace their"),
    };
    format!("the build {end}: {steps} of it {verb} rows in the earlier record, the rest stays")
}

fn ended(interrupted: bool) -> Outcome {
    Outcome {
        text: String::new(),
        code: match interrupted {
            true => exit_code::INTERRUPTED,
            false => exit_code::ERROR,
        },
    }
}

/// The directory of the record is no part of the project, and git need not be told.
fn keep_apart(record: &Path) -> Result<()> {
    let path = record.with_file_name(".gitignore");
    match path.exists() {
        true => Ok(()),
        false => {
            std::fs::write(&path, "*\n").with_context(|| format!("cannot write {}", path.display()))
        }
    }
}

/// Everything was up to date, the command compiles nothing, or the build did not come to its end. An
/// earlier record is worth more than such a one.
fn not_recorded(arguments: &CaptureArguments, build: &RecordedBuild, interrupted: bool) -> Outcome {
    let seen = build.compiles.len();
    let what = match (interrupted, build.failed, seen) {
        (true, _, _) => format!("the build was interrupted after {seen} compile steps"),
        (false, true, 0) => "the build failed and compiled nothing".to_owned(),
        (false, true, _) => format!("the build failed after {seen} compile steps"),
        (false, false, _) => "nothing was compiled".to_owned(),
    };
    let path = arguments.output.display();
    let consequence = match arguments.output.is_file() {
        true => format!("{path} stays as it was"),
        false => format!("{path} is not written"),
    };
    let advice = match (build.failed || interrupted, seen) {
        (true, 0) => "",
        (true, _) => "; --keep-going records what was seen",
        (false, _) => "; the build may be up to date, so clean first (`make clean`)",
    };
    let _ = writeln!(std::io::stderr(), "knockon: {what}: {consequence}{advice}");
    ended(interrupted)
}

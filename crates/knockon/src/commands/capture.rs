//! `knockon capture -- BUILD COMMAND`.

use crate::arguments::{CaptureArguments, CaptureWay};
use crate::{Outcome, exit_code};
use anyhow::{Context, Result};
use knockon_frontend::capture::{BuildOutput, CaptureOptions, capture};
use knockon_frontend::recorded_build::{self, Interception};
use std::fmt::Write;

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
    let build = capture(&arguments.command, &directory, &options)?;
    if let Some(parent) = arguments.output.parent() {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot make {}", parent.display()))?;
    }
    recorded_build::write(&arguments.output, &build)?;

    let mut text = String::new();
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
    for caveat in &build.caveats {
        let _ = writeln!(text, "caveat: {}", caveat.message);
    }
    let interrupted = build.signal == Some(2) || build.exit_code == Some(130);
    let code = match (interrupted, build.failed) {
        (true, _) => exit_code::INTERRUPTED,
        (false, true) => {
            let _ = writeln!(text, "the build failed; the steps until then are recorded");
            exit_code::ERROR
        }
        (false, false) => exit_code::FINISHED,
    };
    Ok(Outcome { text, code })
}

//! `knockon read`: what was read, before any analysis.

use super::{ask, deliver, exit_code_of};
use crate::arguments::{OutputFormat, ReadArguments};
use crate::interruption::Interruptible;
use crate::progress::Shown;
use crate::{Outcome, requests};
use anyhow::{Result, bail};
use knockon_engine::queries::summary::summary;
use knockon_report::to_json;

pub fn run(arguments: &ReadArguments, run: &Interruptible) -> Result<Outcome> {
    let reading = &arguments.program.reading;
    let program = requests::program(&arguments.program, run)?;
    let report = ask(&Shown::of(reading), run, |caller| summary(&program, caller))?;
    let text = match arguments.output.format {
        OutputFormat::Terminal => report.terminal(),
        OutputFormat::Json => to_json(&report)?,
        _ => bail!("`read` prints --format terminal or json only"),
    };
    let code = exit_code_of(report.complete, reading, run);
    deliver(text, &arguments.output, code)
}

//! `knockon read`: what was read, before any analysis.

use super::{deliver, tell_failures};
use crate::Outcome;
use crate::account::reported;
use crate::arguments::{OutputFormat, ReadArguments};
use crate::pipeline::read_input;
use anyhow::{Result, bail};
use knockon_program::Program;
use knockon_report::{ExecutableSummary, ReadReport, to_json};

pub fn run(arguments: &ReadArguments) -> Result<Outcome> {
    let input = read_input(&arguments.program)?;
    let empty = Program::new();
    let mut report = ReadReport {
        schema: "knockon.read/1",
        complete: input.failures.is_empty() && !input.interrupted,
        configuration: input.configuration.clone(),
        units: input.units,
        units_from_cache: input.units_from_cache,
        units_failed: input.failures.len(),
        caveats: input
            .caveats
            .iter()
            .map(|one| reported(one, &empty))
            .collect(),
        executables: Vec::new(),
    };
    for executable in &input.executables {
        let program = &executable.program;
        report.executables.push(ExecutableSummary {
            name: executable.name.clone(),
            units: executable.units,
            functions: program.defined_functions().count(),
            instructions: program.instruction_count(),
        });
        report
            .caveats
            .extend(program.caveats.iter().map(|one| reported(one, program)));
    }
    report.caveats.sort();
    report.caveats.dedup();
    let account = input.account();
    tell_failures(&account);
    let text = match arguments.output.format {
        OutputFormat::Terminal => report.terminal(),
        OutputFormat::Json => to_json(&report)?,
        _ => bail!("`read` prints --format terminal or json only"),
    };
    deliver(
        text,
        &arguments.output,
        account.exit_code(arguments.program.reading.allow_incomplete),
    )
}

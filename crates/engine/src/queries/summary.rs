//! What was read of a program, before any analysis?

use crate::error::Result;
use crate::events::{Caller, Event};
use crate::options::ProgramOptions;
use crate::read::account::reported;
use crate::read::read_program;
use knockon_program::Program;
use knockon_report::{ExecutableSummary, ReadReport};

pub fn summary(options: &ProgramOptions, caller: Caller<'_>) -> Result<ReadReport> {
    let input = read_program(options, caller)?;
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
    caller.events.send(Event::UnitsFailed(input.failures));
    Ok(report)
}

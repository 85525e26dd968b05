//! `knockon equiv`.

use super::{ask, deliver, exit_code_of, format_and_style};
use crate::arguments::EquivArguments;
use crate::interruption::Interruptible;
use crate::progress::Shown;
use crate::{Outcome, exit_code, requests};
use anyhow::Result;
use knockon_engine::queries::equiv::{EquivRequest, equiv};
use knockon_report::EquivVerdict;

pub fn run(arguments: &EquivArguments, run: &Interruptible) -> Result<Outcome> {
    let reading = &arguments.versions.reading;
    let request = EquivRequest {
        versions: requests::versions(&arguments.versions, run)?,
        functions: arguments.functions.clone(),
        budget: arguments.budget,
        effort: arguments.effort,
        solvers: arguments.solver.clone(),
        dump_queries: arguments.dump_queries.clone(),
        counterexample: arguments.counterexample.clone(),
    };
    let report = ask(&Shown::of(reading), run, |caller| equiv(&request, caller))?;
    let (format, style) = format_and_style(&arguments.output);
    let text = report.render(format, style)?;
    let code = match exit_code_of(report.complete, reading, run) {
        exit_code::FINISHED => match report.verdict {
            EquivVerdict::Equivalent => exit_code::FINISHED,
            EquivVerdict::Different => exit_code::FOUND,
            EquivVerdict::Unknown => exit_code::UNDECIDED,
        },
        other => other,
    };
    deliver(text, &arguments.output, code)
}

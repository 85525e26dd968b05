//! `knockon after` and `knockon before`.

use super::{ask, deliver, exit_code_of, format_and_style};
use crate::Outcome;
use crate::arguments::RelationArguments;
use crate::interruption::Interruptible;
use crate::progress::Shown;
use crate::requests;
use anyhow::Result;
use knockon_engine::queries::after::{AfterRequest, Functions, after};
use knockon_report::Relation;

pub fn run(
    arguments: &RelationArguments,
    relation: Relation,
    run: &Interruptible,
) -> Result<Outcome> {
    let reading = &arguments.program.reading;
    let request = AfterRequest {
        program: requests::program(&arguments.program, run)?,
        functions: match arguments.all {
            true => Functions::All,
            false => Functions::Named(arguments.functions.clone()),
        },
        relation,
        why: arguments.why,
        identity: arguments.identity,
    };
    let report = ask(&Shown::of(reading), run, |caller| after(&request, caller))?;
    let (format, style) = format_and_style(&arguments.output);
    let text = report.render(format, style)?;
    let code = exit_code_of(report.complete, reading, run);
    deliver(text, &arguments.output, code)
}

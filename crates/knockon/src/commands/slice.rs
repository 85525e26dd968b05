//! `knockon slice`.

use super::{ask, deliver, exit_code_of, format_and_style};
use crate::Outcome;
use crate::arguments::SliceArguments;
use crate::interruption::Interruptible;
use crate::progress::Shown;
use crate::requests;
use anyhow::Result;
use knockon_engine::queries::slice::{RunRequest, SliceRequest, slice};
use knockon_report::{Extent, SliceDirection};

pub fn run(arguments: &SliceArguments, run: &Interruptible) -> Result<Outcome> {
    let reading = &arguments.program.reading;
    let request = SliceRequest {
        program: requests::program(&arguments.program, run)?,
        place: arguments.place.clone(),
        direction: match arguments.backward {
            false => SliceDirection::Forward,
            true => SliceDirection::Backward,
        },
        run: arguments.dynamic.as_ref().map(|test| RunRequest {
            test: test.clone(),
            tests: arguments.tests.clone(),
            occurrence: arguments.occurrence,
        }),
    };
    let report = ask(&Shown::of(reading), run, |caller| slice(&request, caller))?;
    let (format, style) = format_and_style(&arguments.output);
    let text = report.render(format, style, Extent::Folded)?;
    let code = exit_code_of(report.complete, reading, run);
    deliver(text, &arguments.output, code)
}

//! `knockon why`.

use super::{ask, code_of_diff, deliver, format_and_style, tell_incomplete};
use crate::arguments::WhyArguments;
use crate::interruption::Interruptible;
use crate::progress::Shown;
use crate::{Outcome, requests};
use anyhow::Result;
use knockon_engine::queries::diff::diff;
use knockon_engine::queries::why::{AskedPlace, WhyRequest, explain};

pub fn run(arguments: &WhyArguments, run: &Interruptible) -> Result<Outcome> {
    let reading = &arguments.versions.reading;
    let asked = AskedPlace::parse(&arguments.place)?;
    let versions = requests::versions(&arguments.versions, run)?;
    let request = WhyRequest::of(&arguments.place, versions);
    let shown = Shown::of(reading).without_levels();
    let report = ask(&shown, run, |caller| diff(&request.diff, caller))?;
    tell_incomplete(&report, reading.allow_incomplete);
    let why = ask(&shown, run, |caller| {
        explain(&asked, &report, caller.events)
    })?;
    let (format, style) = format_and_style(&arguments.output);
    let text = why.render(format, style)?;
    deliver(text, &arguments.output, code_of_diff(&report, reading, run))
}

//! `knockon diff`.

use super::{ask, code_of_diff, deliver, format_and_style, tell_incomplete};
use crate::arguments::{DiffArguments, FailOn};
use crate::interruption::Interruptible;
use crate::progress::Shown;
use crate::{Outcome, exit_code, requests};
use anyhow::Result;
use knockon_engine::SourceMap;
use knockon_engine::queries::diff::{DiffRequest, diff};
use knockon_engine::queries::shown_files::show_only;
use knockon_report::{DiffReport, Extent, Verdict};

pub fn run(arguments: &DiffArguments, run: &Interruptible) -> Result<Outcome> {
    let reading = &arguments.versions.reading;
    let request = DiffRequest {
        versions: requests::versions(&arguments.versions, run)?,
        level: arguments.level,
        map: match arguments.coarse {
            true => SourceMap::Coarse,
            false => SourceMap::Fine,
        },
        budget: arguments.budget,
    };
    let mut report = ask(&Shown::of(reading), run, |caller| diff(&request, caller))?;
    tell_incomplete(&report, reading.allow_incomplete);
    let code = code(arguments, &report, run);
    show_only(&mut report, &arguments.only)?;
    let (format, style) = format_and_style(&arguments.output);
    let extent = match (arguments.full, arguments.stat, arguments.quiet) {
        (true, ..) => Extent::Full,
        (false, true, _) => Extent::Files,
        (false, false, true) => Extent::Sentences,
        (false, false, false) => Extent::Folded,
    };
    let text = report.render(format, style, extent)?;
    deliver(text, &arguments.output, code)
}

fn code(arguments: &DiffArguments, report: &DiffReport, run: &Interruptible) -> u8 {
    let code = code_of_diff(report, &arguments.versions.reading, run);
    if code != exit_code::FINISHED {
        return code;
    }
    let has = |verdict: Verdict| report.lines.iter().any(|row| row.verdict == verdict);
    let fails = |what: &FailOn| match what {
        FailOn::Changed => has(Verdict::Changed) || !report.removed.is_empty(),
        FailOn::Affected => has(Verdict::Affected),
        FailOn::Possible => has(Verdict::Possible),
        FailOn::Caveat => !report.caveats.is_empty(),
    };
    match arguments.fail_on.iter().any(fails) {
        true => exit_code::FOUND,
        false => exit_code::FINISHED,
    }
}

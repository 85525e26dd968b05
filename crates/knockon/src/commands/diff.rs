//! `knockon diff`.

use super::{deliver, format_and_style, tell_failures};
use crate::Outcome;
use crate::arguments::{DiffArguments, FailOn};
use crate::diff::{DiffOptions, diff};
use crate::pipeline::reported;
use crate::versions::{is_code, read_versions};
use anyhow::{Context, Result};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::Program;
use knockon_report::{DiffReport, Extent, HunkAccount, Verdict};
use std::path::Path;

pub fn run(arguments: &DiffArguments) -> Result<Outcome> {
    let versions = read_versions(&arguments.versions)?;
    tell_failures(&versions.account);
    let options = DiffOptions {
        level: arguments.level,
        map: match arguments.coarse {
            true => SourceMap::Coarse,
            false => SourceMap::Fine,
        },
        timings: arguments.versions.reading.timings,
    };
    let mut report = diff(&versions, options);
    let none = Program::new();
    let caveats = versions.account.caveats.iter();
    let mut all: Vec<_> = caveats.map(|caveat| reported(caveat, &none)).collect();
    all.append(&mut report.caveats);
    report.caveats = all;
    // A hunk that is not compiled makes the answer incomplete where it may be code.
    let incomplete = report
        .hunks
        .iter()
        .any(|hunk| hunk.account == HunkAccount::NotCompiled && is_code(Path::new(&*hunk.file)));
    let code = exit_code(arguments, &report, &versions.account, incomplete);
    narrow(&mut report, &arguments.only)?;
    let (format, style) = format_and_style(&arguments.output);
    let extent = match arguments.full {
        true => Extent::Full,
        false => Extent::Folded,
    };
    let text = report.render(format, style, extent)?;
    deliver(text, &arguments.output, code)
}

fn exit_code(
    arguments: &DiffArguments,
    report: &DiffReport,
    account: &crate::pipeline::Account,
    incomplete: bool,
) -> u8 {
    let allowed = arguments.versions.reading.allow_incomplete;
    let code = account.exit_code(allowed);
    if code != crate::exit_code::FINISHED {
        return code;
    }
    if incomplete && !allowed {
        return crate::exit_code::ERROR;
    }
    let has = |verdict: Verdict| report.lines.iter().any(|row| row.verdict == verdict);
    let fails = |what: &FailOn| match what {
        FailOn::Changed => has(Verdict::Changed) || !report.removed.is_empty(),
        FailOn::Affected => has(Verdict::Affected),
        FailOn::Possible => has(Verdict::Possible),
        FailOn::Caveat => !report.caveats.is_empty(),
    };
    match arguments.fail_on.iter().any(fails) {
        true => crate::exit_code::FOUND,
        false => crate::exit_code::FINISHED,
    }
}

/// Only what is shown gets less.
fn narrow(report: &mut DiffReport, globs: &[String]) -> Result<()> {
    if globs.is_empty() {
        return Ok(());
    }
    let patterns: Vec<glob::Pattern> = globs
        .iter()
        .map(|text| {
            glob::Pattern::new(text).with_context(|| format!("--only {text} is not a pattern"))
        })
        .collect::<Result<_>>()?;
    let shown = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
    report.lines.retain(|row| shown(&row.file));
    report.functions.retain(|row| shown(&row.file));
    report.removed.retain(|row| shown(&row.file));
    report.sources.retain(|row| shown(&row.path));
    Ok(())
}

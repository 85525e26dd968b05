//! `knockon diff`.

use super::{deliver, format_and_style, tell_failures, tell_incomplete, tell_interrupted};
use crate::Outcome;
use crate::account::{Account, reported};
use crate::arguments::{DiffArguments, FailOn};
use crate::budget::Budget;
use crate::diff::{DiffOptions, diff};
use crate::hunk_accounts::code_not_compiled;
use crate::levels::MAX_KEPT_INSTRUCTIONS;
use crate::progress::tell_level;
use crate::solvers::decided_queries;
use crate::versions::read_versions;
use anyhow::{Context, Result, bail};
use knockon_graphs::UndefinedReads;
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::Program;
use knockon_report::{DiffReport, Extent, Verdict};

pub fn run(arguments: &DiffArguments) -> Result<Outcome> {
    let budget = Budget::of(arguments.budget);
    let versions = read_versions(&arguments.versions, UndefinedReads::Absent)?;
    tell_failures(&versions.account);
    let decided = decided_queries(arguments.versions.reading.no_cache);
    let options = DiffOptions {
        level: arguments.level,
        map: match arguments.coarse {
            true => SourceMap::Coarse,
            false => SourceMap::Fine,
        },
        budget,
        decided_queries: decided.as_deref(),
        timings: arguments.versions.reading.timings,
        kept_instructions: MAX_KEPT_INSTRUCTIONS,
    };
    let mut report = match diff(&versions, options, &mut tell_level) {
        Ok(report) => report,
        Err(interrupted) => return Ok(tell_interrupted(interrupted)),
    };
    let none = Program::new();
    let caveats = versions.account.caveats.iter();
    let caveats = caveats.map(|caveat| reported(caveat, &none));
    report.caveats.splice(0..0, caveats);
    let allowed = arguments.versions.reading.allow_incomplete;
    tell_incomplete(&report, allowed);
    let code = exit_code(arguments, &report, &versions.account);
    narrow(&mut report, &arguments.only)?;
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

fn exit_code(arguments: &DiffArguments, report: &DiffReport, account: &Account) -> u8 {
    let allowed = arguments.versions.reading.allow_incomplete;
    let code = account.exit_code(allowed);
    if code != crate::exit_code::FINISHED {
        return code;
    }
    if !allowed && !code_not_compiled(report).is_empty() {
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

/// Filters the output, not the analysis. A pattern that matches no file is a mistake.
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
    let known = report.lines.iter().map(|row| &row.file);
    let known = known.chain(report.hunks.iter().map(|row| &row.file));
    for (pattern, text) in patterns.iter().zip(globs) {
        if !known.clone().any(|file| pattern.matches(file)) {
            bail!(
                "--only {text} matches no file of the program; a pattern is relative to the root, such as 'src/*.c'"
            );
        }
    }
    report.whole_answer = Some(report.answer());
    let shown = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
    report.lines.retain(|row| shown(&row.file));
    report.definitions.retain(|row| shown(&row.place.file));
    report.functions.retain(|row| shown(&row.file));
    report.removed.retain(|row| shown(&row.file));
    report.sources.retain(|row| shown(&row.path));
    Ok(())
}

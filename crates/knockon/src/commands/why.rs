//! `knockon why`.

use super::{deliver, format_and_style, tell_failures, tell_incomplete, tell_interrupted};
use crate::account::reported;
use crate::arguments::{Level, WhyArguments};
use crate::budget::Budget;
use crate::diff::{DiffOptions, diff};
use crate::hunk_accounts::code_not_compiled;
use crate::place::{FileLine, find_line};
use crate::solvers::decided_queries;
use crate::versions::read_versions;
use crate::{Outcome, exit_code};
use anyhow::Result;
use knockon_graphs::UndefinedReads;
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::Program;
use knockon_report::WhyReport;
use std::time::Duration;

/// What is not proved in this time is not proved for one line.
const TIME: Duration = Duration::from_secs(60);

pub fn run(arguments: &WhyArguments) -> Result<Outcome> {
    let asked = FileLine::parse(&arguments.place)?;
    let versions = read_versions(&arguments.versions, UndefinedReads::Absent)?;
    tell_failures(&versions.account);
    let decided = decided_queries(arguments.versions.reading.no_cache);
    let options = DiffOptions {
        level: Level::Semantic,
        map: SourceMap::Fine,
        budget: Budget::of(TIME),
        decided_queries: decided.as_deref(),
        timings: arguments.versions.reading.timings,
    };
    let mut report = match diff(&versions, options, &mut |_| {}) {
        Ok(report) => report,
        Err(interrupted) => return Ok(tell_interrupted(interrupted)),
    };
    let none = Program::new();
    let caveats = versions.account.caveats.iter();
    let caveats = caveats.map(|caveat| reported(caveat, &none));
    report.caveats.splice(0..0, caveats);
    let allowed = arguments.versions.reading.allow_incomplete;
    tell_incomplete(&report, allowed);
    let mut code = versions.account.exit_code(allowed);
    if code == exit_code::FINISHED && !allowed && !code_not_compiled(&report).is_empty() {
        code = exit_code::ERROR;
    }
    let known = report.lines.iter().map(|row| (&*row.file, row.line));
    let at = find_line(&asked, known)?;
    let row = report.lines[at].clone();
    let on_the_way =
        |path: &str| *path == *row.file || row.reasons.iter().any(|step| *step.file == *path);
    let why = WhyReport {
        complete: report.complete,
        configuration: report.configuration,
        assumptions: report.assumptions,
        old: report.old,
        new: report.new,
        file: row.file.to_string(),
        line: row.line,
        function: row.function.to_string(),
        verdict: row.verdict,
        score: row.score,
        cut_by: row.cut_by,
        witness: row.witness.as_deref().map(str::to_owned),
        reasons: row.reasons.clone(),
        hunks: row.hunks.clone(),
        caveats: report.caveats,
        sources: report
            .sources
            .into_iter()
            .filter(|source| on_the_way(&source.path))
            .collect(),
        ..WhyReport::default()
    };
    let (format, style) = format_and_style(&arguments.output);
    let text = why.render(format, style)?;
    deliver(text, &arguments.output, code)
}

//! `knockon why`.

use super::{deliver, format_and_style, tell_failures, tell_incomplete, tell_interrupted};
use crate::account::reported;
use crate::arguments::{Level, WhyArguments};
use crate::budget::Budget;
use crate::diff::{DiffOptions, diff};
use crate::hunk_accounts::code_not_compiled;
use crate::levels::MAX_KEPT_INSTRUCTIONS;
use crate::place::{FileLine, nearest_line};
use crate::solvers::decided_queries;
use crate::versions::read_versions;
use crate::{Outcome, exit_code};
use anyhow::{Context as _, Result, anyhow};
use knockon_build::nearest_name::{did_you_mean, nearest_names};
use knockon_graphs::UndefinedReads;
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::Program;
use knockon_report::{
    DefinitionRow, DiffReport, LineRow, ReasonStep, Verdict, WhyReport, escape_control_characters,
};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// What is not proved in this time is not proved for one line.
const TIME: Duration = Duration::from_secs(60);

/// Lines that are listed of those that an edited definition reaches.
const MAX_LED_TO: usize = 20;

/// What the user names.
enum Asked {
    Line(FileLine),
    Function { file: String, name: String },
}

impl Asked {
    fn parse(text: &str) -> Result<Asked> {
        match text.rsplit_once(':') {
            Some((file, name)) if !file.is_empty() && is_identifier(name) => Ok(Asked::Function {
                file: file.strip_prefix("./").unwrap_or(file).to_owned(),
                name: name.to_owned(),
            }),
            _ => FileLine::parse(text)
                .map(Asked::Line)
                .context("a place is FILE:LINE or FILE:FUNCTION"),
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    name.starts_with(|c: char| c == '_' || c.is_alphabetic()) && name.chars().all(is_part)
}

/// The line of the report that answers. Of a function it is the one that the change reaches first; of
/// an edited line without code (a macro, a declaration) the first one that its hunk reaches; else the
/// nearest one with code.
fn asked_line<'r>(asked: &Asked, report: &'r DiffReport) -> Result<&'r LineRow> {
    let rank = |one: &&LineRow, other: &&LineRow| {
        let order = one.verdict.cmp(&other.verdict);
        order.then(other.score.total_cmp(&one.score))
    };
    let asked = match asked {
        Asked::Line(asked) => asked,
        Asked::Function { file, name } => {
            let is_file = |path: &str| path == file || Path::new(path).ends_with(file);
            let lines = report.lines.iter().filter(|row| is_file(&row.file));
            let own = lines.clone().filter(|row| *row.function == **name);
            return own.min_by(rank).ok_or_else(|| {
                let mut names: Vec<&str> = lines.map(|row| &*row.function).collect();
                names.dedup();
                let near = nearest_names(name, names, 3);
                anyhow!(
                    "{file} has no function {name} with code here{}",
                    did_you_mean(&near)
                )
            });
        }
    };
    let exact =
        |row: &&LineRow| row.line == asked.line && Path::new(&*row.file).ends_with(&asked.file);
    if !report.lines.iter().any(|row| exact(&row)) {
        let hunk = report.hunks.iter().find(|hunk| {
            let lines = hunk.new_start..hunk.new_start + hunk.new_lines;
            Path::new(&*hunk.file).ends_with(&asked.file) && lines.contains(&asked.line)
        });
        let reached = hunk.and_then(|hunk| {
            let lines = report.lines.iter();
            lines
                .filter(|row| row.hunks.contains(&hunk.number))
                .min_by(rank)
        });
        if let Some(row) = reached {
            tell(&format!(
                "{}:{} has no code of its own; this is the first line that its edit reaches: {}:{}",
                asked.file, asked.line, row.file, row.line
            ));
            return Ok(row);
        }
    }
    let known = report.lines.iter().map(|row| (&*row.file, row.line));
    let known: Vec<(&str, u32)> = known.collect();
    let row = &report.lines[nearest_line(asked, &known)?];
    if row.line != asked.line {
        tell(&format!(
            "line {} of {} has no code; this is the nearest line with code",
            asked.line, row.file
        ));
    }
    Ok(row)
}

/// The edited definition on the line that is asked for.
fn asked_definition<'r>(asked: &Asked, report: &'r DiffReport) -> Option<&'r DefinitionRow> {
    let Asked::Line(asked) = asked else {
        return None;
    };
    let is_asked = |row: &LineRow| {
        row.line == asked.line
            && (Path::new(&*row.file).ends_with(&asked.file)
                || Path::new(&asked.file).ends_with(&*row.file))
    };
    report.definitions.iter().find(|row| is_asked(&row.place))
}

/// The lines that read the definition, then those that its hunk reaches; and how many there are.
fn led_to(definition: &DefinitionRow, report: &DiffReport) -> (Vec<ReasonStep>, Option<usize>) {
    let place = &definition.place;
    let begins_here = |row: &LineRow| {
        let mut steps = row.reasons.iter();
        steps
            .next()
            .is_some_and(|step| !step.old && step.file == place.file && step.line == place.line)
    };
    let is_reached = |row: &&LineRow| {
        let is_hit = row.verdict != Verdict::Unaffected;
        let mut hunks = row.hunks.iter();
        is_hit && (begins_here(row) || hunks.any(|hunk| place.hunks.contains(hunk)))
    };
    let mut reached: Vec<&LineRow> = report.lines.iter().filter(is_reached).collect();
    reached.sort_by(|one, two| {
        let key = |row: &LineRow| (!begins_here(row), row.reasons.len());
        let order = key(one).cmp(&key(two));
        order.then(two.score.total_cmp(&one.score))
    });
    let is_definition = |step: &ReasonStep| {
        let mut rows = report.definitions.iter();
        rows.any(|row| !step.old && row.place.file == step.file && row.place.line == step.line)
    };
    // That it reads another one says nothing of this one.
    let reads_another = |row: &LineRow| {
        let first = row.reasons.first().filter(|_| row.reasons.len() == 2);
        first.is_some_and(is_definition) && !begins_here(row)
    };
    let listed = reached.iter().filter(|row| !reads_another(row));
    let last_steps = listed.filter_map(|row| {
        let step = row.reasons.last()?;
        Some(ReasonStep {
            file: row.file.clone(),
            line: row.line,
            text: step.text.clone(),
            old: false,
        })
    });
    (last_steps.take(MAX_LED_TO).collect(), Some(reached.len()))
}

fn tell(message: &str) {
    let message = escape_control_characters(message);
    let _ = writeln!(std::io::stderr(), "knockon: {message}");
}

pub fn run(arguments: &WhyArguments) -> Result<Outcome> {
    let asked = Asked::parse(&arguments.place)?;
    let versions = read_versions(&arguments.versions, UndefinedReads::Absent)?;
    tell_failures(&versions.account);
    let decided = decided_queries(arguments.versions.reading.no_cache);
    let options = DiffOptions {
        level: Level::Semantic,
        map: SourceMap::Fine,
        budget: Budget::of(TIME),
        decided_queries: decided.as_deref(),
        timings: arguments.versions.reading.timings,
        kept_instructions: MAX_KEPT_INSTRUCTIONS,
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
    let definition = asked_definition(&asked, &report);
    let row = match definition {
        Some(definition) => definition.place.clone(),
        None => asked_line(&asked, &report)?.clone(),
    };
    let (leads_to, reached_lines) = match definition {
        Some(definition) => led_to(definition, &report),
        None => (Vec::new(), None),
    };
    let on_the_way = |path: &str| {
        let mut steps = row.reasons.iter().chain(&leads_to);
        *path == *row.file || steps.any(|step| *step.file == *path)
    };
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
        leads_to,
        reached_lines,
        ..WhyReport::default()
    };
    let (format, style) = format_and_style(&arguments.output);
    let text = why.render(format, style)?;
    deliver(text, &arguments.output, code)
}

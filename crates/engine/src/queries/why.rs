//! How does the change come to one line, or what keeps it away?

use super::diff::{DiffRequest, diff};
use crate::error::{Context as _, EngineError, Result};
use crate::events::{Caller, Event, Events};
use crate::options::VersionsOptions;
use crate::read::place::{FileLine, meant_file, nearest_line};
use knockon_build::nearest_name::{did_you_mean, nearest_names};
use knockon_report::{DefinitionRow, DiffReport, LineRow, ReasonStep, Verdict, WhyReport};
use std::cmp::Ordering;
use std::path::Path;

#[derive(Clone, Debug)]
pub struct WhyRequest {
    /// A line or a function of the new version: `FILE:LINE` or `FILE:FUNCTION`.
    pub place: String,
    /// What is compared, and how.
    pub diff: DiffRequest,
}

impl WhyRequest {
    /// With all levels, in a minute: what is not proved in this time is not proved for one line.
    pub fn of(place: &str, versions: VersionsOptions) -> WhyRequest {
        WhyRequest {
            place: place.to_owned(),
            diff: DiffRequest::of(versions),
        }
    }
}

/// Compares both versions, and says how the change comes to the place.
pub fn why(request: &WhyRequest, caller: Caller<'_>) -> Result<WhyReport> {
    let asked = AskedPlace::parse(&request.place)?;
    let report = diff(&request.diff, caller)?;
    explain(&asked, &report, caller.events)
}

/// What a report says of the place. Where that has no code, another one stands for it, and a notice
/// says which.
pub fn explain(asked: &AskedPlace, report: &DiffReport, events: Events<'_>) -> Result<WhyReport> {
    let definition = asked_definition(asked, report);
    let row = match definition {
        Some(definition) => &definition.place,
        None => asked_line(asked, report, events)?,
    };
    let (leads_to, reached_lines) = match definition {
        Some(definition) => led_to(definition, report),
        None => (Vec::new(), None),
    };
    let on_the_way = |path: &str| {
        let mut steps = row.reasons.iter().chain(&leads_to);
        *path == *row.file || steps.any(|step| *step.file == *path)
    };
    let sources = report.sources.iter();
    let sources = sources.filter(|source| on_the_way(&source.path)).cloned();
    Ok(WhyReport {
        complete: report.complete,
        configuration: report.configuration.clone(),
        assumptions: report.assumptions.clone(),
        old: report.old.clone(),
        new: report.new.clone(),
        file: row.file.to_string(),
        line: row.line,
        function: row.function.to_string(),
        verdict: row.verdict,
        score: row.score,
        cut_by: row.cut_by,
        witness: row.witness.as_deref().map(str::to_owned),
        reasons: row.reasons.clone(),
        hunks: row.hunks.clone(),
        caveats: report.caveats.clone(),
        sources: sources.collect(),
        leads_to,
        reached_lines,
        ..WhyReport::default()
    })
}

/// Limit of listed lines that an edited definition reaches.
const MAX_LED_TO: usize = 20;

/// What the request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedPlace {
    Line(FileLine),
    Function { file: String, name: String },
}

impl AskedPlace {
    pub fn parse(text: &str) -> Result<AskedPlace> {
        match text.rsplit_once(':') {
            Some((file, name)) if !file.is_empty() && is_identifier(name) => {
                Ok(AskedPlace::Function {
                    file: file.strip_prefix("./").unwrap_or(file).to_owned(),
                    name: name.to_owned(),
                })
            }
            _ => FileLine::parse(text)
                .map(AskedPlace::Line)
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
fn asked_line<'r>(
    asked: &AskedPlace,
    report: &'r DiffReport,
    events: Events<'_>,
) -> Result<&'r LineRow> {
    let asked = match asked {
        AskedPlace::Line(asked) => FileLine {
            file: meant_file(&asked.file, files(report))?.to_owned(),
            line: asked.line,
        },
        AskedPlace::Function { file, name } => return asked_function(file, name, report),
    };
    let exact = |row: &&LineRow| row.line == asked.line && *row.file == *asked.file;
    if !report.lines.iter().any(|row| exact(&row)) {
        let hunk = report.hunks.iter().find(|hunk| {
            let lines = hunk.new_start..hunk.new_start + hunk.new_lines;
            *hunk.file == *asked.file && lines.contains(&asked.line)
        });
        let reached = hunk.and_then(|hunk| {
            let lines = report.lines.iter();
            lines
                .filter(|row| row.hunks.contains(&hunk.number))
                .min_by(rank)
        });
        if let Some(row) = reached {
            events.send(Event::Notice(format!(
                "{}:{} has no code of its own; this is the first line that its edit reaches: {}:{}",
                asked.file, asked.line, row.file, row.line
            )));
            return Ok(row);
        }
    }
    let known = report.lines.iter().map(|row| (&*row.file, row.line));
    let known: Vec<(&str, u32)> = known.collect();
    let row = &report.lines[nearest_line(&asked, &known)?];
    if row.line != asked.line {
        events.send(Event::Notice(format!(
            "line {} of {} has no code; this is the nearest line with code",
            asked.line, row.file
        )));
    }
    Ok(row)
}

/// The stronger verdict first, then the higher score.
fn rank(one: &&LineRow, other: &&LineRow) -> Ordering {
    let order = one.verdict.cmp(&other.verdict);
    order.then(other.score.total_cmp(&one.score))
}

/// All files that a report speaks of.
fn files(report: &DiffReport) -> impl Iterator<Item = &str> {
    let lines = report.lines.iter().map(|row| &*row.file);
    let hunks = report.hunks.iter().map(|hunk| &*hunk.file);
    let definitions = report.definitions.iter().map(|row| &*row.place.file);
    lines.chain(hunks).chain(definitions)
}

/// The line of a function that the change reaches first. A name that several files have stands in the
/// report behind its file.
fn asked_function<'r>(file: &str, name: &str, report: &'r DiffReport) -> Result<&'r LineRow> {
    let is_name = |row: &&LineRow| match row.function.rsplit_once(':') {
        Some((_, last)) => last == name || *row.function == *name,
        None => *row.function == *name,
    };
    let rows = report.lines.iter().filter(is_name);
    let found = match meant_file(file, rows.clone().map(|row| &*row.file)) {
        Ok(meant) => rows.filter(|row| *row.file == *meant).min_by(rank),
        Err(EngineError::Ambiguous {
            message,
            candidates,
        }) => {
            let candidates = candidates.iter().map(|file| format!("{file}:{name}"));
            return Err(EngineError::Ambiguous {
                message,
                candidates: candidates.collect(),
            });
        }
        Err(_) => None,
    };
    found.ok_or_else(|| {
        let is_file = |path: &str| path == file || Path::new(path).ends_with(file);
        let lines = report.lines.iter().filter(|row| is_file(&row.file));
        let mut names: Vec<&str> = lines.map(|row| &*row.function).collect();
        names.dedup();
        let near = nearest_names(name, names, 3);
        EngineError::Unknown {
            message: format!(
                "{file} has no function {name} with code here{}",
                did_you_mean(&near)
            ),
            nearest: near,
        }
    })
}

/// The edited definition on the line that is asked for.
fn asked_definition<'r>(asked: &AskedPlace, report: &'r DiffReport) -> Option<&'r DefinitionRow> {
    let AskedPlace::Line(asked) = asked else {
        return None;
    };
    let file = meant_file(&asked.file, files(report)).ok()?;
    let is_asked = |row: &LineRow| row.line == asked.line && *row.file == *file;
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

//! From two versions to a report: the main job, level by level.
//!
//! The first level is always done; each later one only takes away from what is possible, and is
//! given up as a whole if time is up before it has seen every executable: then the verdicts are
//! those of the level before, and a caveat says so.

use crate::arguments::Level;
use crate::budget::{Budget, Stop};
use crate::clock::Clock;
use crate::comparison::{Levels, Models, dependences, programs};
use crate::diff_report::{Pairings, diff_report};
use crate::findings::Findings;
use crate::hunk_reach::hunk_reach;
use crate::semantic::{DISTANCES, Proofs, Prover};
use crate::verdict::Edited;
use crate::versions::ReadVersions;
use knockon_change::{Change, Sides, Version, pair};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_impact::propagation::Sameness;
use knockon_impact::semantic_impact::semantic_impact;
use knockon_program::{CaveatKind, FunctionId, Program};
use knockon_report::{DiffReport, LevelRow, ReportedCaveat};
use std::path::Path;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'a> {
    pub level: Level,
    pub map: SourceMap,
    pub budget: Budget,
    /// Where what solvers said is kept from run to run.
    pub decided_queries: Option<&'a Path>,
    pub timings: bool,
}

/// There is nothing to show yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted before the first level was done: there are no results yet")]
pub struct Interrupted;

/// One executable, compared.
pub struct Compared<'a> {
    pub number: usize,
    pub versions: Sides<Version<'a>>,
    pub change: &'a Change,
    pub levels: &'a Levels<'a>,
}

/// Compares all executables and joins what they say of each line. `reached` is told of each level
/// when it is done.
pub fn diff(
    versions: &ReadVersions,
    options: DiffOptions<'_>,
    reached: &mut dyn FnMut(&LevelRow),
) -> Result<DiffReport, Interrupted> {
    let mut clock = Clock::new(options.timings);
    let go_on = || match options.budget.is_interrupted() {
        true => Err(Interrupted),
        false => Ok(()),
    };
    let mut models = Vec::new();
    for number in 0..versions.executables.len() {
        go_on()?;
        models.push(Models::of(programs(versions, number)));
    }
    clock.step("points-to, regions, mod/ref");
    let mut pairings = Pairings::default();
    for (number, models) in models.iter().enumerate() {
        go_on()?;
        let analysed = models.versions(programs(versions, number));
        let change = pair(analysed, &versions.edits);
        pairings.push(analysed, change);
    }
    clock.step("pair");
    go_on()?;
    let (mut findings, first) = execute_after_level(versions, &pairings);
    let mut levels = Vec::new();
    let mut level_is_done = |level: &str, findings: &Findings| {
        let row = LevelRow {
            level: level.to_owned(),
            possible_lines: findings.verdicts.possible_lines(),
        };
        reached(&row);
        levels.push(row);
    };
    level_is_done(Level::ExecuteAfter.name(), &findings);
    clock.step("execute-after");
    let mut caveats = Vec::new();
    if options.level >= Level::Dataflow {
        match dependence_levels(
            versions,
            &pairings,
            first,
            options,
            &mut clock,
            &mut level_is_done,
        ) {
            Ok((finer, more)) => {
                findings = finer;
                caveats.extend(more);
            }
            Err(stop) => caveats.push(budget_caveat(&format!(
                "{stop} before the level `dataflow` was done: verdicts are those of `execute-after`"
            ))),
        }
    }
    if let Some(stop) = findings.hunks_cut {
        caveats.push(budget_caveat(&format!(
            "{stop} before it was known which hunk reaches which line: each has the one that its reasons begin with"
        )));
    }
    if let Some(stop) = findings.reasons_cut {
        caveats.push(budget_caveat(&format!(
            "{stop} before every line had its reasons: some have none, and the hunks that reach them are not known"
        )));
    }
    let mut report = diff_report(versions, &pairings, findings, levels);
    report.caveats.splice(0..0, caveats);
    clock.step("report");
    Ok(report)
}

fn budget_caveat(message: &str) -> ReportedCaveat {
    ReportedCaveat {
        kind: CaveatKind::Budget.name().to_owned(),
        message: message.to_owned(),
        ..ReportedCaveat::default()
    }
}

/// What may execute after the change, and the levels to go on with, one an executable.
fn execute_after_level<'a>(
    versions: &ReadVersions,
    pairings: &'a Pairings<'a>,
) -> (Findings, Vec<Levels<'a>>) {
    let edited = Edited::new(&versions.edits);
    let mut findings = Findings::default();
    let mut first = Vec::new();
    for (number, analysed, change) in pairings.iter() {
        let levels = Levels::execute_after(analysed, change);
        findings.add_verdicts(number, analysed, change, &levels, &edited);
        first.push(levels);
    }
    findings.doubt_if(versions.may_hide_changes());
    (findings, first)
}

/// What depends on the change, and then what does so for all that is proved. One executable's graphs
/// are gone before the next one's are made, so proofs about it may take their share of the time only.
fn dependence_levels<'a>(
    versions: &ReadVersions,
    pairings: &'a Pairings<'a>,
    first: Vec<Levels<'a>>,
    options: DiffOptions<'_>,
    clock: &mut Clock,
    level_is_done: &mut dyn FnMut(&str, &Findings),
) -> Result<(Findings, Vec<ReportedCaveat>), Stop> {
    let edited = Edited::new(&versions.edits);
    let silent = versions.documentation_hunks();
    let hunk_count: usize = versions.edits.files.values().map(Vec::len).sum();
    let only_hunk = (hunk_count == 1 && silent.is_empty()).then_some(1);
    let is_semantic = options.level >= Level::Semantic && options.map == SourceMap::Fine;
    let mut dataflow = Findings::default();
    let mut semantic: Vec<Findings> = match is_semantic {
        true => DISTANCES.iter().map(|_| Findings::default()).collect(),
        false => Vec::new(),
    };
    let mut prover = Prover::new(options.decided_queries);
    let mut proofs_cut = None;
    let mut done = DISTANCES.len();
    let mut same_output =
        is_semantic && !versions.may_hide_changes() && versions.unpaired.is_empty();
    let count = first.len();
    for ((number, analysed, change), levels) in pairings.iter().zip(first) {
        options.budget.check()?;
        let graphs = dependences(analysed);
        let mut shown: Vec<Sameness> = Vec::new();
        let mut levels = levels.dataflow(&graphs, change, options.map);
        clock.step("dataflow");
        dataflow.add_verdicts(number, analysed, change, &levels, &edited);
        if number + 1 == count {
            dataflow.doubt_if(versions.may_hide_changes());
            level_is_done(Level::Dataflow.name(), &dataflow);
        }
        if is_semantic {
            // Where nothing changed there is nothing to prove.
            let waiting = pairings.iter().skip(number);
            let waiting = waiting.filter(|row| !row.2.is_empty(row.1)).count();
            let budget = options.budget.share(waiting);
            let mut proofs = Proofs::new(analysed, change);
            let found = proofs.levels(&graphs, &mut prover, budget, clock);
            shown = found.levels;
            if let Some((level, stop)) = found.broken_off {
                proofs_cut = Some(stop);
                done = done.min(level);
            }
            same_output &= proofs.is_output_same();
            let equivalent = proofs.equivalent();
            let names = equivalent.map(|id| function_key(analysed.new.program, id));
            dataflow.equivalent.extend(names);
            for (id, reason) in proofs.undecided() {
                let key = function_key(analysed.new.program, id);
                dataflow.undecided.entry(key).or_insert(reason);
            }
            for (at, findings) in semantic.iter_mut().enumerate() {
                // Where nothing more was shown, the level is the one before.
                let before = at.checked_sub(1).and_then(|before| shown.get(before));
                if let Some(sameness) = shown.get(at)
                    && before != Some(sameness)
                {
                    let (old, new) = (&graphs.old, &graphs.new);
                    let impact = semantic_impact(old, new, change, sameness);
                    levels.semantic = Some(impact);
                }
                findings.add_verdicts(number, analysed, change, &levels, &edited);
            }
            clock.step("semantic");
        }
        let compared = Compared {
            number,
            versions: analysed,
            change,
            levels: &levels,
        };
        let reach = hunk_reach(
            &compared,
            &graphs,
            (options.map, shown.last()),
            (&versions.edits, &silent),
            options.budget,
        );
        clock.step("hunks");
        let last = semantic.last_mut().unwrap_or(&mut dataflow);
        let reach = reach.unwrap_or_else(|stop| {
            last.hunks_cut = Some(stop);
            None
        });
        let reach = reach.as_ref();
        last.add_reasons(&compared, &edited, only_hunk, reach, options.budget);
        clock.step("reasons");
    }
    for findings in &mut semantic {
        findings.doubt_if(versions.may_hide_changes());
    }
    for (findings, (name, _)) in semantic.iter().zip(DISTANCES).take(done) {
        level_is_done(name, findings);
    }
    // What is shown is shown, but the level is not one that was done.
    if let (Some(findings), Some((name, _))) = (semantic.last(), DISTANCES.get(done)) {
        level_is_done(&format!("{name}, broken off"), findings);
    }
    let mut caveats = Vec::new();
    if let Some(stop) = proofs_cut {
        caveats.push(budget_caveat(&format!(
            "{stop} before all functions were compared: `{}` was broken off, and what was proved until then counts",
            DISTANCES.get(done).map_or("", |level| level.0)
        )));
    }
    if let (true, Some(missing)) = (is_semantic, prover.missing) {
        caveats.push(ReportedCaveat {
            kind: CaveatKind::NoSolver.name().to_owned(),
            message: format!("{missing}; only what is equal without one is proved"),
            ..ReportedCaveat::default()
        });
    }
    let equivalent = std::mem::take(&mut dataflow.equivalent);
    let undecided = std::mem::take(&mut dataflow.undecided);
    let mut findings = semantic.pop().unwrap_or(dataflow);
    // What holds in one executable is not known of another, which may have other callees.
    let is_shown = |key: &(String, String)| !undecided.contains_key(key);
    findings.equivalent = equivalent.into_iter().filter(is_shown).collect();
    findings.undecided = undecided;
    findings.same_output = same_output;
    Ok((findings, caveats))
}

/// How the report names a function: its file and its name.
fn function_key(program: &Program, function: FunctionId) -> (String, String) {
    let place = program.place(program.function(function).place);
    let file = match place.is_known() {
        true => program.file_path(place.file).to_owned(),
        false => String::new(),
    };
    (file, program.function_name(function).to_owned())
}

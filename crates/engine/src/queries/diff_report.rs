//! The report of a comparison: what the pairing and the last level say, in the words of the report.

use crate::comparison::{Pairings, programs};
use crate::queries::assumptions::assumptions;
use crate::read::account::reported;
use crate::read::function_names::display_names;
use crate::read::versions::ReadVersions;
use crate::verdict::edited_definitions::explain_by_definitions;
use crate::verdict::findings::Findings;
use crate::verdict::hunk_accounts::{add_not_compiled, hunk_rows};
use crate::verdict::spread::{FunctionEdge, FunctionKey};
use knockon_build::stand_ins::is_of_tests;
use knockon_change::{Change, FunctionStatus as Fate, Side, Sides, Version, function_statuses};
use knockon_program::{CaveatKind, FunctionId, Program};
use knockon_report::{
    DiffReport, ExecutableRow, FunctionRow, FunctionStatus, FunctionSummary, HunkAccount, LevelRow,
    LineRow, OutputVerdict, RemovedRow, ReportedCaveat, SourceText, SpreadEdge, Verdict,
    VersionName, spread_names,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

pub fn diff_report(
    versions: &ReadVersions,
    pairings: &Pairings<'_>,
    mut findings: Findings,
    levels: Vec<LevelRow>,
) -> DiffReport {
    let name = |side: Side| VersionName {
        name: versions.names.of(side).clone(),
    };
    let same_output = findings.same_output;
    let functions = function_rows(pairings, &findings);
    let mut report = DiffReport {
        complete: versions.account.complete(),
        configuration: versions.configuration.clone(),
        assumptions: assumptions(versions),
        old: name(Side::Old),
        new: name(Side::New),
        output: OutputVerdict::Equal,
        levels,
        lines: line_rows(versions, &mut findings),
        removed: removed_rows(&findings),
        executables: executable_rows(versions, &findings),
        spread: spread_edges(&functions, &findings.spread),
        functions: functions.into_values().collect(),
        caveats: caveats(pairings),
        ..DiffReport::default()
    };
    report.hunks = hunk_rows(versions, pairings, &report.lines);
    let differs = |row: (usize, Sides<Version<'_>>, &Change)| !row.2.is_empty(row.1);
    if pairings.iter().any(differs) && !same_output
        || !report.complete && !report.hunks.is_empty()
        || versions.may_hide_changes()
    {
        report.output = OutputVerdict::Possible;
    }
    add_not_compiled(&mut report);
    for row in &versions.unpaired {
        report.caveats.push(ReportedCaveat {
            kind: CaveatKind::NotCompiled.name().to_owned(),
            message: format!("the executable {row} and is not compared"),
            ..ReportedCaveat::default()
        });
    }
    add_sources(versions, &mut report);
    explain_by_definitions(versions, &mut report);
    report
}

/// The edges between functions of the report, which has one row for each file and name.
fn spread_edges(
    functions: &BTreeMap<FunctionKey, FunctionRow>,
    edges: &BTreeSet<FunctionEdge>,
) -> Vec<SpreadEdge> {
    let names = spread_names(functions.values()).into_iter();
    let names: BTreeMap<&FunctionKey, Arc<str>> =
        functions.keys().zip(names.map(Arc::from)).collect();
    let rows = edges.iter().filter_map(|edge| {
        Some(SpreadEdge {
            from: names.get(&edge.from)?.clone(),
            to: names.get(&edge.to)?.clone(),
            kind: edge.kind,
        })
    });
    let rows: BTreeSet<SpreadEdge> = rows.collect();
    rows.into_iter().collect()
}

fn function_rows(
    pairings: &Pairings<'_>,
    findings: &Findings,
) -> BTreeMap<FunctionKey, FunctionRow> {
    let mut rows: BTreeMap<FunctionKey, FunctionRow> = BTreeMap::new();
    for (_, versions, change) in pairings.iter() {
        let (old, new) = (versions.old.program, versions.new.program);
        let names = display_names(new);
        let old_names = display_names(old);
        for fate in function_statuses(change, versions) {
            let (side, function, status, from) = match fate {
                Fate::Same(id) => (Side::New, id, FunctionStatus::Same, None),
                Fate::Changed(id) => (Side::New, id, FunctionStatus::Changed, None),
                Fate::Renamed { function, from } => {
                    let from = old_names[from.index()].clone();
                    (Side::New, function, FunctionStatus::Renamed, Some(from))
                }
                Fate::Moved {
                    function,
                    from_file,
                } => (Side::New, function, FunctionStatus::Moved, Some(from_file)),
                Fate::Added(id) => (Side::New, id, FunctionStatus::Added, None),
                Fate::SplitFrom { function, from } => {
                    let from = format!("split from {}", names[from.index()]);
                    (Side::New, function, FunctionStatus::Added, Some(from))
                }
                Fate::Removed(id) => (Side::Old, id, FunctionStatus::Removed, None),
                Fate::MergedInto { old, into } => {
                    let into = format!("merged into {}", names[into.index()]);
                    (Side::Old, old, FunctionStatus::Removed, Some(into))
                }
            };
            let program = match side {
                Side::Old => old,
                Side::New => new,
            };
            let file = file_of(program, function);
            let key = (file.clone(), program.function_name(function).to_owned());
            let verdict = match side {
                Side::Old => Verdict::Changed,
                Side::New => {
                    let known = findings.verdicts.functions.get(&key);
                    known.copied().unwrap_or_default()
                }
            };
            let shown = match side {
                Side::Old => &old_names[function.index()],
                Side::New => &names[function.index()],
            };
            let row = FunctionRow {
                name: Arc::from(shown.as_str()),
                file: Arc::from(file.as_str()),
                status,
                from,
                // That two functions do the same for their callers takes a proof.
                summary: match side == Side::New && findings.equivalent.contains(&key) {
                    true => FunctionSummary::Equivalent,
                    false => FunctionSummary::Unknown,
                },
                undecided: match side {
                    Side::Old => None,
                    Side::New => findings.undecided.get(&key).cloned(),
                },
                verdict,
            };
            rows.insert(key, row);
        }
    }
    rows
}

fn file_of(program: &Program, function: FunctionId) -> String {
    let place = program.place(program.function(function).place);
    match place.is_known() {
        true => program.file_path(place.file).to_owned(),
        false => String::new(),
    }
}

fn line_rows(versions: &ReadVersions, findings: &mut Findings) -> Vec<LineRow> {
    let mut files: BTreeMap<&str, Arc<str>> = BTreeMap::new();
    let mut functions: BTreeMap<(usize, FunctionId), Arc<str>> = BTreeMap::new();
    let names: Vec<Vec<String>> = (0..versions.executables.len())
        .map(|number| display_names(programs(versions, number).new))
        .collect();
    let mut rows = Vec::with_capacity(findings.verdicts.lines.len());
    for (key, verdict) in &findings.verdicts.lines {
        let file = files
            .entry(&key.0)
            .or_insert_with(|| Arc::from(key.0.as_str()))
            .clone();
        let name = &names[verdict.executable][verdict.function.index()];
        let function = functions
            .entry((verdict.executable, verdict.function))
            .or_insert_with(|| Arc::from(name.as_str()))
            .clone();
        rows.push(LineRow {
            file,
            line: key.1,
            function,
            verdict: verdict.verdict,
            score: f64::from((verdict.score * 1000.0).round()) / 1000.0,
            cut_by: verdict.cut_by,
            witness: None,
            reasons: findings.reasons.remove(key).unwrap_or_default(),
            hunks: findings.hunks.remove(key).unwrap_or_default(),
        });
    }
    rows
}

fn executable_rows(versions: &ReadVersions, findings: &Findings) -> Vec<ExecutableRow> {
    let rows = versions.executables.iter().enumerate();
    rows.map(|(number, row)| ExecutableRow {
        name: row.new.name.clone(),
        is_test: is_test_program(&row.new.name),
        possible_lines: findings
            .verdicts
            .executables
            .get(&number)
            .map_or(0, |lines| lines.reached),
    })
    .collect()
}

/// By its name, or by that of its directory.
fn is_test_program(name: &str) -> bool {
    let path = Path::new(name);
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let file = file.to_ascii_lowercase();
    file.contains("test") || file.contains("check") || is_of_tests(path)
}

fn removed_rows(findings: &Findings) -> Vec<RemovedRow> {
    let rows = findings.verdicts.removed.iter();
    rows.map(|((file, line), function)| RemovedRow {
        file: Arc::from(file.as_str()),
        line: *line,
        function: Arc::from(function.as_str()),
    })
    .collect()
}

/// Those of the programs, in the order met, each once.
fn caveats(pairings: &Pairings<'_>) -> Vec<ReportedCaveat> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (_, versions, _) in pairings.iter() {
        for side in Side::BOTH {
            let version = versions.of(side);
            let own = version.program.caveats.iter();
            let own = own.chain(&version.memory.calls.caveats);
            for caveat in own.chain(&version.memory.regions.caveats) {
                let caveat = reported(caveat, version.program);
                if seen.insert(caveat.clone()) {
                    all.push(caveat);
                }
            }
        }
    }
    all
}

/// The texts of all files with something to show, and of those whose edits reach the program.
fn add_sources(versions: &ReadVersions, report: &mut DiffReport) {
    let hits = report.lines.iter();
    let hits = hits.filter(|row| row.verdict < Verdict::Unaffected);
    let edits = report.hunks.iter();
    let edits = edits.filter(|row| row.account == HunkAccount::InTheDelta);
    let wanted: BTreeSet<Arc<str>> = hits
        .map(|row| row.file.clone())
        .chain(edits.map(|row| row.file.clone()))
        .collect();
    for path in wanted {
        let text = match versions.texts.new.get(&*path) {
            Some(text) => text.clone(),
            None => match std::fs::read(versions.roots.new.join(&*path)) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(_) => continue,
            },
        };
        report.sources.push(SourceText { path, text });
    }
}

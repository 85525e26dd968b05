//! From two versions to a report: the main job, top to bottom.

use crate::arguments::Level;
use crate::comparison::{Levels, Models, dependences, levels, paired, programs};
use crate::function_names::display_names;
use crate::hunk_reach::{HunkReach, hunk_reach};
use crate::pipeline::{Clock, reported};
use crate::reason_text::{Phrases, reason_steps};
use crate::spread::spread;
use crate::verdict::{Edited, LineVerdict, Verdicts, add_verdicts};
use crate::versions::ReadVersions;
use knockon_change::{
    Change, FunctionStatus as Fate, HunkFate, NotCompiled, Side, Sides, SourceFiles, Version,
    account, function_statuses,
};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_impact::dependence::Vertex;
use knockon_impact::propagation::Place as GraphPlace;
use knockon_program::{FunctionId, Program};
use knockon_report::{
    DiffReport, FunctionRow, FunctionStatus, FunctionSummary, HunkAccount, HunkRow, LevelRow,
    LineRow, OutputVerdict, RemovedRow, ReportedCaveat, SourceText, Verdict, VersionName,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions {
    pub level: Level,
    pub map: SourceMap,
    pub timings: bool,
}

/// What each verdict rests on, besides the caveats.
pub const ASSUMPTIONS: [&str; 3] = [
    "the old version has no undefined behaviour on the runs compared",
    "a loop or recursion ends in the new version if it ends in the old one",
    "standard output and standard error are only written",
];

/// Why a hunk is not compiled in a file that no unit reads.
const NOT_READ: &str = "no unit reads this file";

/// Compares all executables and joins what they say of each line.
pub fn diff(versions: &ReadVersions, options: DiffOptions) -> DiffReport {
    let mut clock = Clock::new(options.timings);
    let mut report = DiffReport {
        complete: versions.account.complete(),
        configuration: versions.configuration.clone(),
        assumptions: ASSUMPTIONS.map(str::to_owned).to_vec(),
        old: VersionName {
            name: versions.names.old.clone(),
        },
        new: VersionName {
            name: versions.names.new.clone(),
        },
        output: OutputVerdict::Equal,
        ..DiffReport::default()
    };
    let mut joined = Joined::default();
    let edited = Edited::new(&versions.edits);
    let models: Vec<Models> = (0..versions.executables.len())
        .map(|number| Models::of(programs(versions, number)))
        .collect();
    clock.step("points-to, regions, mod/ref");
    for (number, models) in models.iter().enumerate() {
        let programs = programs(versions, number);
        let analysed = models.versions(programs);
        let change = paired(analysed, &versions.edits);
        clock.step("pair");
        let graphs = dependences(analysed);
        let found = levels(
            analysed,
            &graphs,
            &change,
            options.map,
            options.level,
            &mut clock,
        );
        let compared = Compared {
            number,
            versions: analysed,
            change: &change,
            levels: &found,
        };
        add_verdicts(
            &mut joined.verdicts,
            number,
            analysed,
            &change,
            &found,
            &edited,
        );
        let reach = match options.level {
            Level::ExecuteAfter => None,
            Level::Dataflow => hunk_reach(
                &compared,
                (&graphs.old, &graphs.new),
                options.map,
                &versions.edits,
            ),
        };
        clock.step("hunks");
        joined.add(&compared, versions, &edited, reach.as_ref(), &mut report);
        clock.step("verdicts");
    }
    if versions.may_hide_changes() {
        joined.verdicts.doubt();
        for row in joined.functions.values_mut() {
            row.verdict = row.verdict.min(Verdict::Possible);
        }
    }
    joined.finish(versions, options, &mut report);
    clock.step("report");
    report
}

/// One executable, compared.
pub struct Compared<'a> {
    pub number: usize,
    pub versions: Sides<Version<'a>>,
    pub change: &'a Change,
    pub levels: &'a Levels<'a>,
}

/// What comes from all executables.
#[derive(Default)]
struct Joined {
    verdicts: Verdicts,
    functions: BTreeMap<(String, String), FunctionRow>,
    fates: BTreeMap<(String, u32, u32), (HunkAccount, String)>,
    caveats: Vec<ReportedCaveat>,
    reasons: BTreeMap<(String, u32), (Verdict, f32, Vec<knockon_report::ReasonStep>)>,
    hunks: BTreeMap<(String, u32), Vec<u32>>,
}

impl Joined {
    fn add(
        &mut self,
        compared: &Compared<'_>,
        versions: &ReadVersions,
        edited: &Edited<'_>,
        reach: Option<&HunkReach<'_>>,
        report: &mut DiffReport,
    ) {
        self.add_functions(compared);
        self.add_hunks(compared, versions);
        self.add_caveats(compared);
        let hunk_count = versions.edits.files.values().map(Vec::len).sum();
        self.add_reasons(compared, edited, hunk_count, reach);
        if !compared.change.is_empty(compared.versions) {
            report.output = OutputVerdict::Possible;
        }
        for edge in spread(compared) {
            if !report.spread.contains(&edge) {
                report.spread.push(edge);
            }
        }
    }

    fn add_functions(&mut self, compared: &Compared<'_>) {
        let (old, new) = (compared.versions.old.program, compared.versions.new.program);
        let names = display_names(new);
        let old_names = display_names(old);
        for fate in function_statuses(compared.change, compared.versions) {
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
            let name = program.function_name(function).to_owned();
            let key = (file.clone(), name);
            let verdict = match side {
                Side::Old => Verdict::Changed,
                Side::New => self
                    .verdicts
                    .functions
                    .get(&key)
                    .copied()
                    .unwrap_or_default(),
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
                summary: FunctionSummary::Unknown,
                verdict,
            };
            self.functions.insert(key, row);
        }
    }

    fn add_hunks(&mut self, compared: &Compared<'_>, versions: &ReadVersions) {
        let sources = SourceFiles {
            texts: versions.texts.clone(),
            readers: versions.readers.clone(),
        };
        let accounts = account(
            compared.change,
            compared.versions,
            &versions.edits,
            &sources,
        );
        for row in accounts {
            let (fate, message) = match row.fate {
                HunkFate::InDelta => (HunkAccount::InTheDelta, String::new()),
                HunkFate::LayoutOnly => (HunkAccount::LayoutOnly, String::new()),
                HunkFate::WithoutEffect => (HunkAccount::WithoutEffect, String::new()),
                HunkFate::NotCompiled(reason) => {
                    let message = match reason {
                        NotCompiled::NotRead => NOT_READ,
                        NotCompiled::Assembly => "assembly is not analysed",
                        NotCompiled::BuildFile => "it steers the build",
                        NotCompiled::InactiveBranch => "the preprocessor left it out",
                    };
                    (HunkAccount::NotCompiled, message.to_owned())
                }
            };
            let key = (row.file, row.hunk.old.start, row.hunk.new.start);
            // What one executable compiles is compiled, and what it reads is read.
            let rank = |account: HunkAccount, message: &str| match account {
                HunkAccount::InTheDelta => 0,
                HunkAccount::WithoutEffect => 1,
                HunkAccount::LayoutOnly => 2,
                HunkAccount::NotCompiled if message != NOT_READ => 3,
                HunkAccount::NotCompiled => 4,
            };
            match self.fates.get(&key) {
                Some((known, reason)) if rank(*known, reason) <= rank(fate, &message) => {}
                _ => {
                    self.fates.insert(key, (fate, message));
                }
            }
        }
    }

    fn add_caveats(&mut self, compared: &Compared<'_>) {
        for side in Side::BOTH {
            let version = compared.versions.of(side);
            let own = version.program.caveats.iter();
            let all = own
                .chain(&version.memory.calls.caveats)
                .chain(&version.memory.regions.caveats);
            for caveat in all {
                let caveat = reported(caveat, version.program);
                if !self.caveats.contains(&caveat) {
                    self.caveats.push(caveat);
                }
            }
        }
    }

    fn add_reasons(
        &mut self,
        compared: &Compared<'_>,
        edited: &Edited<'_>,
        hunk_count: usize,
        reach: Option<&HunkReach<'_>>,
    ) {
        let Some(impact) = &compared.levels.dataflow else {
            return;
        };
        let mut phrases = Phrases::default();
        for ((file, line), verdict) in &self.verdicts.lines {
            if verdict.executable != compared.number || verdict.verdict == Verdict::Unaffected {
                continue;
            }
            let place = GraphPlace {
                side: Side::New,
                function: verdict.function,
                vertex: Vertex(verdict.node.0),
            };
            let steps = reason_steps(impact, compared.versions, place, &mut phrases);
            let hunks: Vec<u32> = match (reach, steps.first()) {
                (Some(reach), _) => reach.of(verdict.function, verdict.node),
                (None, _) if hunk_count == 1 => vec![1],
                (None, None) => Vec::new(),
                (None, Some(first)) => {
                    let side = match first.old {
                        true => Side::Old,
                        false => Side::New,
                    };
                    let hunk = edited.hunk(side, &first.file, first.line);
                    hunk.into_iter().collect()
                }
            };
            let key = (file.clone(), *line);
            self.hunks.insert(key.clone(), hunks);
            self.reasons
                .insert(key, (verdict.verdict, verdict.score, steps));
        }
    }

    fn finish(self, versions: &ReadVersions, options: DiffOptions, report: &mut DiffReport) {
        let mut files: BTreeMap<&str, Arc<str>> = BTreeMap::new();
        let mut functions: BTreeMap<(usize, FunctionId), Arc<str>> = BTreeMap::new();
        let names: Vec<Vec<String>> = (0..versions.executables.len())
            .map(|number| display_names(programs(versions, number).new))
            .collect();
        let mut reasons = self.reasons;
        let mut hunks_of = self.hunks;
        for (key, verdict) in &self.verdicts.lines {
            let file = files
                .entry(&key.0)
                .or_insert_with(|| Arc::from(key.0.as_str()))
                .clone();
            let function = functions
                .entry((verdict.executable, verdict.function))
                .or_insert_with(|| {
                    Arc::from(names[verdict.executable][verdict.function.index()].as_str())
                })
                .clone();
            report.lines.push(LineRow {
                file,
                line: key.1,
                function,
                verdict: verdict.verdict,
                score: f64::from((verdict.score * 1000.0).round()) / 1000.0,
                cut_by: verdict.cut_by,
                witness: None,
                reasons: reasons.remove(key).map(|row| row.2).unwrap_or_default(),
                hunks: hunks_of.remove(key).unwrap_or_default(),
            });
        }
        let possible = |row: &&LineRow| row.verdict == Verdict::Possible;
        let executes_after =
            |line: &&LineVerdict| line.executes_after && line.verdict != Verdict::Changed;
        report.levels.push(LevelRow {
            level: "execute-after".to_owned(),
            possible_lines: self.verdicts.lines.values().filter(executes_after).count(),
        });
        if options.level >= Level::Dataflow {
            report.levels.push(LevelRow {
                level: "dataflow".to_owned(),
                possible_lines: report.lines.iter().filter(possible).count(),
            });
        }
        report.removed = self
            .verdicts
            .removed
            .iter()
            .map(|((file, line), function)| RemovedRow {
                file: Arc::from(file.as_str()),
                line: *line,
                function: Arc::from(function.as_str()),
            })
            .collect();
        report.functions = self.functions.into_values().collect();
        let mut number = 0;
        for (file, hunks) in &versions.edits.files {
            for hunk in hunks {
                number += 1;
                let key = (file.clone(), hunk.old.start, hunk.new.start);
                let (account, mut message) = self.fates.get(&key).cloned().unwrap_or((
                    HunkAccount::NotCompiled,
                    "no executable has both versions".to_owned(),
                ));
                if message == NOT_READ && has_failed(versions, file) {
                    message = "its unit did not compile".to_owned();
                }
                let reached = report.lines.iter().filter(|row| {
                    row.hunks.contains(&number)
                        && matches!(row.verdict, Verdict::Possible | Verdict::Affected)
                });
                report.hunks.push(HunkRow {
                    number,
                    file: Arc::from(file.as_str()),
                    old_start: hunk.old.start,
                    old_lines: hunk.old.end - hunk.old.start,
                    new_start: hunk.new.start,
                    new_lines: hunk.new.end - hunk.new.start,
                    account,
                    message,
                    possible_lines: reached.count(),
                });
            }
        }
        if !report.complete && !report.hunks.is_empty() {
            report.output = OutputVerdict::Possible;
        }
        report.caveats = self.caveats;
        for name in &versions.unpaired {
            report.caveats.push(ReportedCaveat {
                kind: knockon_program::CaveatKind::NotCompiled.name().to_owned(),
                file: String::new(),
                line: 0,
                message: format!("the executable {name} and is not compared"),
            });
        }
        add_sources(versions, report);
    }
}

/// A unit of this name did not compile.
fn has_failed(versions: &ReadVersions, file: &str) -> bool {
    let failures = &versions.account.failures;
    failures.iter().any(|failure| {
        failure
            .split_once(": ")
            .is_some_and(|(unit, _)| unit == file)
    })
}

fn file_of(program: &Program, function: FunctionId) -> String {
    let place = program.place(program.function(function).place);
    match place.is_known() {
        true => program.file_path(place.file).to_owned(),
        false => String::new(),
    }
}

/// The texts of all files with something to show.
fn add_sources(versions: &ReadVersions, report: &mut DiffReport) {
    let mut wanted: Vec<Arc<str>> = report
        .lines
        .iter()
        .filter(|row| row.verdict < Verdict::Unaffected)
        .map(|row| row.file.clone())
        .collect();
    wanted.sort();
    wanted.dedup();
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

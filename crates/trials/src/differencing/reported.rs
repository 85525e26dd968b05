//! What the command says of a pair: `knockon diff` itself on programs that are read already, and the
//! laws of its report.

use super::{Findings, Law};
use crate::against_clang::HarnessError;
use crate::edits::PairProgram;
use knockon_change::{Edits, Sides, put_old_names, text_hunks};
use knockon_engine::Events;
use knockon_engine::budget::Budget;
use knockon_engine::levels::Level;
use knockon_engine::levels::{DiffOptions, MAX_KEPT_INSTRUCTIONS};
use knockon_engine::queries::diff::compare;
use knockon_engine::read::Executable;
use knockon_engine::read::account::Account;
use knockon_engine::read::versions::ReadVersions;
use knockon_impact::dataflow_impact::SourceMap;
use knockon_interpreter::Run;
use knockon_program::Program;
use knockon_report::{
    DiffReport, Extent, Format, HunkAccount, OutputVerdict, ReportedCaveat, Style, Verdict,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Both texts are called so.
pub const FILE: &str = "program.c";

/// What is not proved in this time is not looked at.
const PROOF_TIME: Duration = Duration::from_secs(4);

/// Every so manieth pair is reported once more for laws that cost another report.
const SAMPLE: usize = 8;

/// Both versions as the command reads them from two directories.
pub fn read_versions(
    pair: &PairProgram,
    mut programs: Sides<Program>,
    directory: &Path,
) -> ReadVersions {
    let mut edits = Edits {
        others_are_unedited: true,
        ..Edits::default()
    };
    let hunks = text_hunks(&pair.old, &pair.new);
    if !hunks.is_empty() {
        edits.files.insert(FILE.to_string(), hunks);
    }
    let text = |text: &String| BTreeMap::from([(FILE.to_string(), text.clone())]);
    let texts = Sides {
        old: text(&pair.old),
        new: text(&pair.new),
    };
    let old_names = put_old_names(&programs.old, &mut programs.new, &edits, &texts);
    let executable = |program| Executable {
        doubts: Vec::new(),
        name: "program".to_string(),
        program,
        units: 1,
        is_link_recorded: true,
    };
    ReadVersions {
        changed_files: Default::default(),
        left_by_builds: Default::default(),
        doubtful_units: Default::default(),
        names: Sides {
            old: "old".to_string(),
            new: "new".to_string(),
        },
        configuration: String::new(),
        are_own_builds: true,
        executables: vec![Sides {
            old: executable(programs.old),
            new: executable(programs.new),
        }],
        unpaired: Vec::new(),
        roots: Sides {
            old: directory.join("old"),
            new: directory.join("new"),
        },
        old_names,
        texts,
        edits,
        readers: Sides::default(),
        account: Account {
            configuration: String::new(),
            failures: Vec::new(),
            caveats: Vec::new(),
            interrupted: false,
        },
        failures: Sides::default(),
        commands: Sides::default(),
        touched: Default::default(),
        are_single_files: false,
    }
}

/// The report of `knockon diff --level`.
pub fn command_report(versions: &ReadVersions, level: Level) -> Result<DiffReport, HarnessError> {
    let options = DiffOptions {
        level,
        map: SourceMap::Fine,
        budget: match level {
            Level::SEMANTIC => Budget::of(PROOF_TIME),
            _ => Budget::unlimited(),
        },
        decided_queries: None,
        kept_instructions: MAX_KEPT_INSTRUCTIONS,
    };
    compare(versions, options, Events::ignored())
        .map_err(|stop| HarnessError::Frontend(stop.to_string()))
}

/// The verdicts by file and line.
pub struct LineVerdicts(BTreeMap<(String, u32), Verdict>);

impl LineVerdicts {
    pub fn of(report: &DiffReport) -> LineVerdicts {
        let lines = report.lines.iter();
        LineVerdicts(
            lines
                .map(|row| ((row.file.to_string(), row.line), row.verdict))
                .collect(),
        )
    }

    /// Whether the line is said to be one that may differ; `None` if nothing is said of it.
    pub fn may_differ(&self, file: &str, line: u32) -> Option<bool> {
        let verdict = self.0.get(&(file.to_string(), line));
        verdict.map(|verdict| *verdict != Verdict::Unaffected)
    }
}

/// The laws of one report by itself.
pub fn check(pair: &PairProgram, report: &DiffReport, findings: &mut Findings) {
    if pair.is_unchanged() {
        check_unchanged(report, findings);
    }
    // It is not known which hunk it is when time was up before.
    let is_cut =
        |caveat: &ReportedCaveat| caveat.kind == "budget" && caveat.message.contains("hunk");
    if report.hunks.is_empty() || report.caveats.iter().any(is_cut) {
        return;
    }
    let numbers = 1..=report.hunks.len() as u32;
    for row in &report.lines {
        if row.verdict == Verdict::Unaffected {
            continue;
        }
        findings.count(Law::Hunks, 1);
        let are_hunks = row.hunks.iter().all(|number| numbers.contains(number));
        if row.hunks.is_empty() || !are_hunks {
            let message = format!("is {:?}, by the hunks {:?}", row.verdict, row.hunks);
            findings.violated(Law::Hunks, format!("{}:{}", row.file, row.line), message);
        }
    }
}

/// What both versions did, where that is called the same.
pub fn check_output(report: &DiffReport, runs: &Sides<Run>, findings: &mut Findings) {
    if report.output != OutputVerdict::Equal {
        return;
    }
    findings.count(Law::Output, 1);
    let seen = |run: &Run| (run.stdout.clone(), run.stderr.clone(), run.exit.clone());
    if seen(&runs.old) != seen(&runs.new) {
        let message = "differs, and is called the same".to_string();
        findings.violated(Law::Output, "output".to_string(), message);
    }
}

/// Versions that differ in layout only: nothing is reported.
fn check_unchanged(report: &DiffReport, findings: &mut Findings) {
    findings.count(Law::NoChange, report.lines.len() + report.hunks.len());
    for row in &report.lines {
        if row.verdict != Verdict::Unaffected {
            let message = format!("is {:?}", row.verdict);
            findings.violated(Law::NoChange, format!("{}:{}", row.file, row.line), message);
        }
    }
    for row in &report.removed {
        let place = format!("old {}:{}", row.file, row.line);
        findings.violated(Law::NoChange, place, "is removed".to_string());
    }
    for row in &report.hunks {
        // A textual difference may take lines for moved over blank ones.
        let account = row.account;
        if !matches!(
            account,
            HunkAccount::LayoutOnly | HunkAccount::WithoutEffect
        ) {
            let message = format!("hunk {} is {:?}", row.number, row.account);
            findings.violated(
                Law::NoChange,
                format!("{}:{}", row.file, row.new_start),
                message,
            );
        }
    }
}

/// The laws of several reports on the same pair, for a sample of all pairs.
pub fn check_again(
    pair: &PairProgram,
    versions: &ReadVersions,
    report: &DiffReport,
    findings: &mut Findings,
) -> Result<(), HarnessError> {
    if !(pair.old.len() + pair.new.len()).is_multiple_of(SAMPLE) {
        return Ok(());
    }
    check_levels(versions, report, findings)?;
    check_jobs(versions, findings)
}

/// What a level leaves possible, those before it do.
fn check_levels(
    versions: &ReadVersions,
    report: &DiffReport,
    findings: &mut Findings,
) -> Result<(), HarnessError> {
    for level in [Level::EXECUTE_AFTER, Level::DATAFLOW] {
        let before = LineVerdicts::of(&command_report(versions, level)?);
        for row in &report.lines {
            findings.count(Law::Levels, 1);
            let may_differ = before.may_differ(&row.file, row.line);
            if row.verdict != Verdict::Unaffected && may_differ != Some(true) {
                let message = format!("is {:?}, and not by {}", row.verdict, level.name());
                findings.violated(Law::Levels, format!("{}:{}", row.file, row.line), message);
            }
        }
    }
    Ok(())
}

/// One thread and several give the same bytes.
fn check_jobs(versions: &ReadVersions, findings: &mut Findings) -> Result<(), HarnessError> {
    let problem = |error: &dyn std::fmt::Display| HarnessError::Frontend(error.to_string());
    let mut texts = Vec::new();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| problem(&error))?;
        let report = pool.install(|| command_report(versions, Level::DATAFLOW))?;
        let text = report.render(Format::Json, Style::default(), Extent::Full);
        texts.push(text.map_err(|error| problem(&error))?);
    }
    findings.count(Law::Jobs, texts[0].len());
    if texts[0] != texts[1] {
        let message = "one thread and three do not give the same bytes".to_string();
        findings.violated(Law::Jobs, "report".to_string(), message);
    }
    Ok(())
}

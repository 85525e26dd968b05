//! One patch, compared: what each level and map reports, and what it costs beside clang.

use super::measured_run::{Comparison, MeasuredRun, RunCost, Said, measured_run};
use super::repository::Patch;
use anyhow::{Context, Result};
use knockon_frontend::clang::Clang;
use knockon_frontend::compile::emit_text;
use knockon_frontend::git::{Repository, discover, resolve};
use knockon_frontend::revision_build::{RevisionOptions, Snapshot, plan_of_snapshot};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub struct PatchResult {
    pub package: String,
    pub patch: String,
    /// Or why there is none.
    pub outcome: Result<Outcome, String>,
}

/// What was found of a pair.
pub struct Outcome {
    /// Lines with a verdict: all executable ones of the new version.
    pub lines: usize,
    pub changed: usize,
    pub removed: usize,
    pub possible: Possible,
    /// By what became of them and, where nothing did, why.
    pub hunks: BTreeMap<String, usize>,
    pub caveats: BTreeMap<String, usize>,
    pub complete: bool,
    /// What the compiler said of units that are missing.
    pub failures: Vec<String>,
    /// Files that steer the build and differ from the recorded build's.
    pub assumed_build: Option<String>,
    pub cold: RunCost,
    pub warm: RunCost,
    /// clang's own, on all units of both versions.
    pub clang: Duration,
}

/// Lines that are possible, by level and map.
#[derive(Clone, Copy, Debug, Default)]
pub struct Possible {
    pub execute_after: usize,
    pub fine: usize,
    pub coarse: usize,
}

/// Compares a patch with the state before it: cold, warm, and warm with the coarse map.
pub fn compare_patch(
    package: &str,
    root: &Path,
    patch: Patch,
    yardstick: &mut Yardstick<'_>,
) -> Result<PatchResult> {
    let outcome = match &patch.commit {
        None => Err("the patch does not apply".to_owned()),
        Some(commit) => compared(root, commit, yardstick)?,
    };
    Ok(PatchResult {
        package: package.to_owned(),
        patch: patch.name,
        outcome,
    })
}

fn compared(
    root: &Path,
    commit: &str,
    yardstick: &mut Yardstick<'_>,
) -> Result<Result<Outcome, String>> {
    let mut assumed_build = None;
    let mut cache = tempfile::tempdir()?;
    let run = |assume_same_build: bool, coarse: bool, cache: &Path| {
        measured_run(Comparison {
            root,
            commit,
            assume_same_build,
            coarse,
            cache,
        })
    };
    let mut cold = run(false, false, cache.path())?;
    if let Said::BuildInputsDiffer(files) = &cold.said {
        assumed_build = Some(files.clone());
        cache = tempfile::tempdir()?;
        cold = run(true, false, cache.path())?;
    }
    let assume = assumed_build.is_some();
    let failures = failures(&cold);
    let fine = match cold.said {
        Said::Report(report) => report,
        Said::BuildInputsDiffer(files) => return Ok(Err(format!("the build differs: {files}"))),
        Said::Nothing(reason) => return Ok(Err(reason)),
    };
    let warm = run(assume, false, cache.path())?;
    match warm.said {
        Said::Report(again) if again == fine => {}
        Said::Report(_) => return Ok(Err("the warm run says something else".to_owned())),
        _ => return Ok(Err("the warm run has no result".to_owned())),
    }
    let coarse = match run(assume, true, cache.path())?.said {
        Said::Report(report) => report,
        Said::Nothing(reason) => return Ok(Err(format!("--coarse: {reason}"))),
        Said::BuildInputsDiffer(_) => return Ok(Err("--coarse: the build differs".to_owned())),
    };
    let clang = yardstick.time(&format!("{commit}~1"))? + yardstick.time(commit)?;
    let mut outcome = Outcome {
        lines: rows(&fine, "lines").count(),
        changed: with_verdict(&fine, "changed"),
        removed: rows(&fine, "removed").count(),
        possible: Possible {
            execute_after: possible_lines(&fine, "execute-after")?,
            fine: possible_lines(&fine, "dataflow")?,
            coarse: possible_lines(&coarse, "dataflow")?,
        },
        hunks: BTreeMap::new(),
        caveats: BTreeMap::new(),
        complete: fine["complete"].as_bool() == Some(true),
        failures,
        assumed_build,
        cold: cold.cost,
        warm: warm.cost,
        clang,
    };
    for hunk in rows(&fine, "hunks") {
        let account = hunk["account"].as_str().unwrap_or("no account");
        let account = match hunk["message"].as_str() {
            None => account.to_owned(),
            Some(reason) => format!("{account}: {reason}"),
        };
        *outcome.hunks.entry(account).or_default() += 1;
    }
    for caveat in rows(&fine, "caveats") {
        let kind = caveat["kind"].as_str().unwrap_or("of no kind");
        *outcome.caveats.entry(kind.to_owned()).or_default() += 1;
    }
    Ok(Ok(outcome))
}

/// The first error of each unit that did not compile.
fn failures(run: &MeasuredRun) -> Vec<String> {
    let lines = run.standard_error.lines();
    let mut found: Vec<String> = lines
        .filter(|line| line.contains(": error: ") || line.contains(": fatal error: "))
        .map(str::to_owned)
        .collect();
    found.dedup();
    found
}

fn rows<'a>(report: &'a Value, table: &str) -> impl Iterator<Item = &'a Value> {
    report[table].as_array().into_iter().flatten()
}

fn with_verdict(report: &Value, verdict: &str) -> usize {
    rows(report, "lines")
        .filter(|row| row["verdict"] == verdict)
        .count()
}

fn possible_lines(report: &Value, level: &str) -> Result<usize> {
    let row = rows(report, "levels").find(|row| row["level"] == level);
    let count = row.and_then(|row| row["possible_lines"].as_u64());
    Ok(count.with_context(|| format!("the level {level}"))? as usize)
}

/// clang's own time on all units of a version, measured once a version.
pub struct Yardstick<'a> {
    clang: &'a Clang,
    repository: Repository,
    cache: tempfile::TempDir,
    known: BTreeMap<String, Duration>,
}

impl<'a> Yardstick<'a> {
    pub fn new(root: &Path, clang: &'a Clang) -> Result<Yardstick<'a>> {
        Ok(Yardstick {
            clang,
            repository: discover(root)?,
            cache: tempfile::tempdir()?,
            known: BTreeMap::new(),
        })
    }

    fn time(&mut self, name: &str) -> Result<Duration> {
        let revision = resolve(&self.repository, name)?;
        if let Some(time) = self.known.get(revision.tree.as_str()) {
            return Ok(*time);
        }
        let options = RevisionOptions {
            cache_directory: self.cache.path(),
            build_directory: None,
            allow_run: false,
            assume_same_build: true,
        };
        let plan = plan_of_snapshot(&self.repository, Snapshot::Revision(&revision), &options)?;
        let limit = Duration::from_secs(600);
        let time = plan
            .units
            .par_iter()
            .map(|unit| {
                let emitted = emit_text(self.clang, unit, limit, &AtomicBool::new(false));
                // A unit that does not compile is the comparison's to report.
                emitted.map_or(Duration::ZERO, |emitted| emitted.cpu_time)
            })
            .sum();
        let tree = revision.tree.as_str().to_owned();
        self.known.insert(tree, time);
        Ok(time)
    }
}

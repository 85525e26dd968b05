//! One patch, compared: what each level and map reports, and what it costs beside clang.

use super::measured_run::{Analysis, Comparison, MeasuredRun, RunCost, Said, measured_run};
use super::report_rows::{possible_lines, rows, with_verdict};
use super::repository::Patch;
use super::yardstick::Yardstick;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;
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
            analysis: match coarse {
                true => Analysis::Coarse,
                false => Analysis::Dataflow,
            },
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

//! One pair, compared at every level.

use super::causes::{FunctionCounts, function_counts};
use super::pairs::{FrozenPair, commit_of};
use crate::corpus::diff::measured_run::{
    Analysis, Comparison, MeasuredRun, RunCost, Said, measured_run,
};
use crate::corpus::diff::report_rows::{possible_lines, rows, with_verdict};
use crate::corpus::diff::yardstick::Yardstick;
use anyhow::Result;
use serde_json::Value;
use std::path::Path;

/// The analyses, each more precise than the one before.
pub const ANALYSES: [&str; 7] = [
    "coarse",
    "dataflow",
    "semantic-0",
    "semantic-1",
    "semantic-2",
    "semantic-3",
    "semantic-inf",
];

pub struct PairResult {
    pub pair: FrozenPair,
    /// Or why there is none.
    pub outcome: Result<Outcome, String>,
}

/// What was found of a pair.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Executable lines of the new version.
    pub lines: usize,
    pub changed: usize,
    /// By analysis, as in [`ANALYSES`].
    pub possible: [usize; 7],
    /// Of the semantic levels: seconds that their proofs took, beyond the level before.
    pub proof_seconds: [f64; 5],
    pub functions: FunctionCounts,
    /// What was given up when the time was over.
    pub budget: Vec<String>,
    /// Some of the change was not read, so that nothing is unaffected.
    pub is_doubted: bool,
    /// All of it, on an empty cache.
    pub cold: RunCost,
    /// Of coarse dataflow and of ours, on a full cache.
    pub dataflow: [RunCost; 2],
    /// clang's own, on all units of both versions, in seconds.
    pub clang: f64,
}

impl Outcome {
    /// The part of what coarse dataflow reports that the analysis takes away; `None` where there is
    /// nothing.
    pub fn reduction(&self, analysis: usize) -> Option<f64> {
        let coarse = self.possible[0];
        let part = self.possible[analysis] as f64 / coarse as f64;
        (coarse > 0).then_some(1.0 - part)
    }

    /// Why proofs did not help, if they did not.
    pub fn obstacle(&self) -> Option<String> {
        let [_, dataflow, .., last] = self.possible;
        if dataflow == 0 || last < dataflow {
            return None;
        }
        if self.is_doubted {
            return Some("a unit did not compile: nothing is unaffected".to_owned());
        }
        let causes = self.functions.causes.iter();
        let most = causes.max_by_key(|row| row.1).map(|row| row.0.clone());
        Some(most.unwrap_or_else(|| match self.functions.changed {
            0 => "no function changed, but what they use".to_owned(),
            _ => "equivalent, and still reached".to_owned(),
        }))
    }
}

/// Compares a pair: first all levels on an empty cache, then the dataflow levels by themselves.
pub fn compare_pair(
    root: &Path,
    pair: &FrozenPair,
    yardstick: &mut Yardstick<'_>,
) -> Result<Result<Outcome, String>> {
    let commit = match commit_of(root, pair) {
        Ok(commit) => commit,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut cache = tempfile::tempdir()?;
    let run = |assume_same_build: bool, analysis: Analysis, cache: &Path| {
        measured_run(Comparison {
            root,
            commit: &commit,
            assume_same_build,
            analysis,
            cache,
        })
    };
    let mut whole = run(false, Analysis::Semantic, cache.path())?;
    let assume = matches!(whole.said, Said::BuildInputsDiffer(_));
    if assume {
        cache = tempfile::tempdir()?;
        whole = run(true, Analysis::Semantic, cache.path())?;
    }
    let report = match report_of(&whole) {
        Ok(report) => report,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut costs = Vec::new();
    let mut coarse_lines = 0;
    for analysis in [Analysis::Coarse, Analysis::Dataflow] {
        let run = run(assume, analysis, cache.path())?;
        let lines = report_of(&run).map(|report| possible_lines(report, "dataflow"));
        match (analysis, lines) {
            (_, Err(reason)) => return Ok(Err(format!("{analysis:?}: {reason}"))),
            (Analysis::Coarse, Ok(lines)) => coarse_lines = lines?,
            _ => {}
        }
        costs.push(run.cost);
    }
    let mut possible = [coarse_lines; 7];
    for (number, name) in ANALYSES.iter().enumerate().skip(1) {
        match possible_lines(report, name) {
            Ok(lines) => possible[number] = lines,
            Err(_) => match broken_off(report) {
                Some(lines) => possible[number] = lines,
                None => return Ok(Err(missing_level(report, name))),
            },
        }
    }
    let clang = yardstick.time(&format!("{commit}~1"))? + yardstick.time(&commit)?;
    Ok(Ok(Outcome {
        lines: rows(report, "lines").count(),
        changed: with_verdict(report, "changed"),
        possible,
        proof_seconds: proof_seconds(&whole.standard_error),
        functions: function_counts(report),
        budget: budget_caveats(report),
        is_doubted: report["complete"].as_bool() != Some(true),
        cold: whole.cost,
        dataflow: [costs[0], costs[1]],
        clang: clang.as_secs_f64(),
    }))
}

fn report_of(run: &MeasuredRun) -> Result<&Value, String> {
    match &run.said {
        Said::Report(report) => Ok(report),
        Said::BuildInputsDiffer(files) => Err(format!("the build differs: {files}")),
        Said::Nothing(reason) => Err(reason.clone()),
    }
}

fn budget_caveats(report: &Value) -> Vec<String> {
    let caveats = rows(report, "caveats").filter(|row| row["kind"] == "budget");
    caveats
        .filter_map(|row| row["message"].as_str().map(str::to_owned))
        .collect()
}

/// What a semantic level leaves that was not done in time: it stands for those after it, too.
fn broken_off(report: &Value) -> Option<usize> {
    let last = rows(report, "levels").last()?;
    let is_semantic = last["level"].as_str()?.starts_with("semantic");
    let lines = last["possible_lines"].as_u64().filter(|_| is_semantic)?;
    usize::try_from(lines).ok()
}

/// Why the level is not there.
fn missing_level(report: &Value, name: &str) -> String {
    let said = budget_caveats(report).into_iter().next();
    said.unwrap_or_else(|| format!("the level {name} is missing"))
}

/// By semantic level, over all executables: `SECONDS s  proofs of LEVEL` on standard error.
fn proof_seconds(timings: &str) -> [f64; 5] {
    let mut seconds = [0.0; 5];
    for line in timings.lines() {
        let Some((time, level)) = line.trim().split_once(" s  proofs of ") else {
            continue;
        };
        let levels = &ANALYSES[2..];
        if let (Ok(time), Some(at)) = (
            time.parse::<f64>(),
            levels.iter().position(|name| *name == level),
        ) {
            seconds[at] += time;
        }
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_proofs_are_summed_by_level() {
        let timings = "    0.500 s  pair\n    1.000 s  proofs of semantic-0\n    0.250 s  proofs of semantic-inf\n    2.000 s  proofs of semantic-0\n";
        assert_eq!(proof_seconds(timings), [3.0, 0.0, 0.0, 0.0, 0.25]);
    }

    #[test]
    fn an_obstacle_is_the_cause_that_most_functions_have() {
        let mut outcome = Outcome {
            possible: [9, 5, 5, 5, 5, 5, 5],
            ..Outcome::default()
        };
        outcome.functions.changed = 4;
        let causes = &mut outcome.functions.causes;
        causes.insert("budget".to_owned(), 1);
        causes.insert("a solver has values that tell them apart".to_owned(), 3);
        assert_eq!(
            outcome.obstacle().as_deref(),
            Some("a solver has values that tell them apart")
        );
        outcome.possible[6] = 4;
        assert_eq!(outcome.obstacle(), None);
    }
}

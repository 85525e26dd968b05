//! One run of `knockon diff`, measured from outside by `time`.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A comparison that takes longer than this is given up.
const SECONDS: u32 = 900;

/// What each comparison is told that it may take.
pub const BUDGET: Duration = Duration::from_secs(60);

/// What a run cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunCost {
    /// Seconds, the children's included.
    pub cpu: f64,
    /// Of the largest of knockon and its children.
    pub peak_bytes: f64,
    /// Seconds from its start to its end.
    pub elapsed: f64,
}

/// What a run said.
pub struct MeasuredRun {
    pub cost: RunCost,
    pub said: Said,
    pub standard_error: String,
}

pub enum Said {
    Report(Value),
    /// It refuses to use one version's build commands for the other; these files differ.
    BuildInputsDiffer(String),
    /// It ended without a report.
    Nothing(String),
}

/// What to compare, and how.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    pub root: &'a Path,
    pub commit: &'a str,
    pub assume_same_build: bool,
    pub analysis: Analysis,
    /// The cache directory: fresh for a cold run.
    pub cache: &'a Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// Dataflow from all statements of a changed function.
    Coarse,
    /// Dataflow from the changed statements.
    Dataflow,
    /// The semantic levels; what each takes is told, too.
    Semantic,
}

/// Compares the commit with its parent.
pub fn measured_run(comparison: Comparison<'_>) -> Result<MeasuredRun> {
    let knockon = std::env::current_exe()?.with_file_name("knockon");
    let measures = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("/usr/bin/time");
    command
        .args(["-f", "%U %S %M %e", "-o"])
        .arg(measures.path())
        .args(["timeout", &SECONDS.to_string()])
        .arg(&knockon)
        .args(["diff", &format!("{}~1", comparison.commit)])
        .args([comparison.commit, "--format", "json"])
        .args(["--budget", &format!("{}s", BUDGET.as_secs())])
        .current_dir(comparison.root)
        .env("KNOCKON_CACHE_DIR", comparison.cache);
    if comparison.assume_same_build {
        command.arg("--assume-same-build");
    }
    command.args(match comparison.analysis {
        Analysis::Coarse => &["--coarse"][..],
        Analysis::Dataflow => &["--level", "dataflow"],
        Analysis::Semantic => &["--level", "semantic", "--timings"],
    });
    let output = command
        .output()
        .with_context(|| format!("time {}", knockon.display()))?;
    let standard_error = String::from_utf8_lossy(&output.stderr).into_owned();
    let measured = std::fs::read_to_string(measures.path())?;
    Ok(MeasuredRun {
        cost: cost(&measured)?,
        said: said(output.status.code(), &output.stdout, &standard_error),
        standard_error,
    })
}

/// `time` says first how the command ended, if not well.
fn cost(measured: &str) -> Result<RunCost> {
    let line = measured.lines().last().unwrap_or_default();
    let numbers: Vec<f64> = line
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [user, system, kilobytes, elapsed] = numbers[..] else {
        bail!("`time` printed {measured}");
    };
    Ok(RunCost {
        cpu: user + system,
        peak_bytes: kilobytes * 1024.0,
        elapsed,
    })
}

fn said(code: Option<i32>, output: &[u8], errors: &str) -> Said {
    if let Ok(report) = serde_json::from_slice(output) {
        return Said::Report(report);
    }
    if code == Some(124) {
        return Said::Nothing(format!("not done after {SECONDS} s"));
    }
    let differ = "files that steer the build differ from the working tree's: ";
    if let Some((_, rest)) = errors.split_once(differ) {
        let files = rest.split(';').next().unwrap_or_default();
        return Said::BuildInputsDiffer(files.to_owned());
    }
    let line = errors
        .lines()
        .find(|line| line.contains("panicked"))
        .or_else(|| errors.lines().last());
    let code = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
    Said::Nothing(format!("{code}: {}", line.unwrap_or("no message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_steer_the_build_are_named() {
        let errors = "error: files that steer the build differ from the working tree's: Makefile, a.in; write …";
        match said(Some(2), b"", errors) {
            Said::BuildInputsDiffer(files) => assert_eq!(files, "Makefile, a.in"),
            _ => panic!("another answer"),
        }
    }

    #[test]
    fn a_panic_is_the_reason_whatever_follows_it() {
        let errors =
            "thread 'main' panicked at a.rs:1:\nindex out of bounds\nnote: run with RUST_BACKTRACE";
        match said(Some(101), b"", errors) {
            Said::Nothing(reason) => {
                assert_eq!(reason, "exit code 101: thread 'main' panicked at a.rs:1:");
            }
            _ => panic!("another answer"),
        }
    }

    #[test]
    fn costs_are_read_behind_a_bad_ending() {
        let cost =
            cost("Command exited with non-zero status 2\n1.50 0.25 2048 2.25\n").expect("a cost");
        assert_eq!((cost.cpu, cost.peak_bytes), (1.75, 2_097_152.0));
        assert_eq!(cost.elapsed, 2.25);
    }
}

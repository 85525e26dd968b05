//! `knockon slice` and `knockon diff`, measured from outside, on an empty cache.

use super::Line;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// What takes longer than this is given up.
const SECONDS: u32 = 300;

/// The lines that a tool reports, and its CPU time with its children's.
pub struct Answer {
    pub seconds: f64,
    pub lines: BTreeSet<Line>,
}

/// Runs a program in a directory; its CPU seconds with its children's.
pub fn measured(
    program: &str,
    arguments: &[&str],
    directory: &Path,
    cache: Option<&Path>,
) -> Result<(f64, Output)> {
    let measures = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("/usr/bin/time");
    command
        .args(["-f", "%U %S", "-o"])
        .arg(measures.path())
        .args(["timeout", &SECONDS.to_string(), program])
        .args(arguments)
        .current_dir(directory)
        // Frama-C resolves names against it.
        .env("PWD", directory);
    if let Some(cache) = cache {
        command.env("KNOCKON_CACHE_DIR", cache);
    }
    let output = command
        .output()
        .with_context(|| format!("time {program}"))?;
    if output.status.code() == Some(124) {
        bail!("{program} was not done after {SECONDS} s");
    }
    let text = std::fs::read_to_string(measures.path())?;
    let line = text.lines().last().unwrap_or_default();
    let times = line.split(' ').map(str::parse::<f64>);
    let times: Vec<f64> = times.collect::<Result<_, _>>().context(line.to_owned())?;
    Ok((times.iter().sum(), output))
}

fn knockon(arguments: &[&str], directory: &Path) -> Result<(f64, Value)> {
    let binary = std::env::current_exe()?.with_file_name("knockon");
    let cache = tempfile::tempdir()?;
    let binary = binary.to_string_lossy();
    let (seconds, output) = measured(&binary, arguments, directory, Some(cache.path()))?;
    let report = serde_json::from_slice(&output.stdout).with_context(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("knockon {}: {said}", arguments.join(" "))
    })?;
    Ok((seconds, report))
}

pub fn slice(program: &Path, (file, line): &Line) -> Result<Answer> {
    let place = format!("{file}:{line}");
    let (seconds, report) = knockon(&["slice", &place, "--format", "json"], program)?;
    Ok(Answer {
        seconds,
        lines: lines(&report, |_| true),
    })
}

/// The lines of the new version that are changed or may be affected.
pub fn diff(root: &Path) -> Result<Answer> {
    let level = ["--level", "dataflow"];
    let arguments = [
        &["diff", "path:old", "path:new", "--format", "json"],
        &level[..],
    ]
    .concat();
    let (seconds, report) = knockon(&arguments, root)?;
    let counts = |row: &Value| row["verdict"] != "unaffected";
    Ok(Answer {
        seconds,
        lines: lines(&report, counts),
    })
}

fn lines(report: &Value, counts: impl Fn(&Value) -> bool) -> BTreeSet<Line> {
    let rows = report["lines"].as_array().into_iter().flatten();
    let rows = rows.filter(|row| counts(row));
    rows.filter_map(|row| {
        let file = row["file"].as_str()?.to_owned();
        Some((file, u32::try_from(row["line"].as_u64()?).ok()?))
    })
    .collect()
}

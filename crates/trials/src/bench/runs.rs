//! Whole runs of the `knockon` binary, measured from outside by `time`.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

#[derive(Clone, Copy, Debug, Default)]
pub struct RunCost {
    /// Seconds, the children's included.
    pub cpu: f64,
    pub wall: f64,
    pub peak_bytes: f64,
}

impl RunCost {
    pub fn add(&mut self, other: &RunCost) {
        self.cpu += other.cpu;
        self.wall += other.wall;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
    }
}

/// `knockon read` on a fresh cache, then on the filled one.
pub fn cold_and_warm(root: &Path) -> Result<(RunCost, RunCost)> {
    cold_and_warm_of(|knockon| {
        knockon.args(["read", "-p"]).arg(root);
    })
}

/// `knockon` with these arguments on a fresh cache, then on the filled one.
pub fn cold_and_warm_of(arguments: impl Fn(&mut Command)) -> Result<(RunCost, RunCost)> {
    let cache = tempfile::tempdir()?;
    let cold = run(&arguments, cache.path())?;
    let warm = run(&arguments, cache.path())?;
    Ok((cold, warm))
}

fn run(arguments: impl Fn(&mut Command), cache: &Path) -> Result<RunCost> {
    let knockon = std::env::current_exe()?.with_file_name("knockon");
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%U %S %e %M"]).arg(&knockon);
    arguments(&mut command);
    let output = command
        .env("KNOCKON_CACHE_DIR", cache)
        .output()
        .with_context(|| format!("time {}", knockon.display()))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{command:?}: {stderr}");
    }
    let numbers: Vec<f64> = stderr
        .lines()
        .last()
        .unwrap_or_default()
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [user, system, wall, kilobytes] = numbers[..] else {
        bail!("`time` printed {stderr}");
    };
    Ok(RunCost {
        cpu: user + system,
        wall,
        peak_bytes: kilobytes * 1024.0,
    })
}

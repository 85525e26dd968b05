//! The corpus in numbers, as a Markdown table.

use super::package::PackageResult;
use anyhow::Result;
use std::collections::BTreeMap;
use std::io::Write;

/// Progress: one line as soon as a package is done, its problems in full.
pub fn print_row(result: &PackageResult) -> Result<()> {
    let mut stderr = std::io::stderr().lock();
    writeln!(
        stderr,
        "{}: {} units, {} problems",
        result.name,
        result.units,
        result.problems()
    )?;
    for message in &result.messages {
        writeln!(stderr, "  {message}")?;
    }
    Ok(())
}

pub fn print(results: &[PackageResult]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(
        stdout,
        "| package | programs | units | functions | instructions | IR, MB | clang, s | read, s | counts agree | graphs agree | promotion agrees | problems |"
    )?;
    writeln!(stdout, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    for result in results {
        writeln!(
            stdout,
            "| {} | {} | {} | {} | {} | {:.1} | {:.2} | {:.2} | {} | {} | {} | {} |",
            result.name,
            result.executables,
            result.units,
            result.functions,
            result.instructions,
            result.ir_bytes as f64 / 1e6,
            result.clang_time.as_secs_f64(),
            result.read_time.as_secs_f64(),
            result.compared.counted_functions,
            result.compared.graph_functions,
            result.compared.promoted_functions,
            result.problems()
        )?;
    }
    let mut caveats: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results {
        for (kind, count) in &result.caveats {
            *caveats.entry(kind).or_default() += count;
        }
    }
    writeln!(stdout, "\nCaveats by kind:")?;
    for (kind, count) in &caveats {
        writeln!(stdout, "- {kind}: {count}")?;
    }
    if let Some(peak) = peak_memory() {
        writeln!(
            stdout,
            "\nPeak memory of the run: {:.0} MB.",
            peak as f64 / 1e6
        )?;
    }
    Ok(())
}

/// The high-water mark of this process's resident memory.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

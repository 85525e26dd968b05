//! The corpus in numbers, as a Markdown table.

use super::package::PackageResult;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

/// Progress: one line as soon as a package is done, its problems in full.
pub fn print_row(result: &PackageResult) -> Result<()> {
    let mut stderr = std::io::stderr().lock();
    writeln!(
        stderr,
        "{}: {} units, {} problems",
        result.name,
        result.reading.units,
        result.problems()
    )?;
    for message in &result.messages {
        writeln!(stderr, "  {message}")?;
    }
    Ok(())
}

/// The whole corpus: a table, the caveats by kind, and the memory it took.
pub fn table(results: &[PackageResult], clang: &str) -> String {
    let mut text = format!(
        "`make corpus`, with {clang}. Each unit is read; instruction counts per function and opcode are held against `llvm-bcanalyzer`, dominators, post-dominators and loops against what `opt` prints, promotion against `opt -passes=mem2reg`. The three columns say for how many functions that was done.\n\n\
         | package | programs | units | functions | instructions | IR, MB | clang, s | read, s | counts | graphs | promotion | problems |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for result in results {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.1} | {:.2} | {:.2} | {} | {} | {} | {} |",
            result.name,
            result.executables,
            result.reading.units,
            result.functions,
            result.instructions,
            result.reading.ir_bytes as f64 / 1e6,
            result.reading.clang.as_secs_f64(),
            result.reading.read.as_secs_f64(),
            result.compared.counted_functions,
            result.compared.graph_functions,
            result.compared.promoted_functions,
            result.problems()
        );
    }
    let mut caveats: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results {
        for (kind, count) in &result.caveats {
            *caveats.entry(kind).or_default() += count;
        }
    }
    let listed: Vec<String> = caveats
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    let _ = match listed.is_empty() {
        true => writeln!(text, "\nCaveats: none."),
        false => writeln!(text, "\nCaveats by kind: {}.", listed.join(", ")),
    };
    if let Some(peak) = peak_memory() {
        let _ = writeln!(
            text,
            "\nPeak memory of the run: {:.0} MB.",
            peak as f64 / 1e6
        );
    }
    text
}

/// The high-water mark of this process's resident memory.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

//! What the JSON of `knockon diff` says, as far as tables need it.

use anyhow::{Context, Result};
use serde_json::Value;

/// The rows of a table.
pub fn rows<'a>(report: &'a Value, table: &str) -> impl Iterator<Item = &'a Value> {
    report[table].as_array().into_iter().flatten()
}

/// How many lines have the verdict.
pub fn with_verdict(report: &Value, verdict: &str) -> usize {
    rows(report, "lines")
        .filter(|row| row["verdict"] == verdict)
        .count()
}

/// How many lines are possible at a level.
pub fn possible_lines(report: &Value, level: &str) -> Result<usize> {
    let row = rows(report, "levels").find(|row| row["level"] == level);
    let count = row.and_then(|row| row["possible_lines"].as_u64());
    Ok(count.with_context(|| format!("the level {level}"))? as usize)
}

//! What keeps a result the same result when lines move.
//!
//! A fingerprint is a hash of the file, the function and the line's text without
//! its indentation, and a number that tells equal lines of one function apart in
//! their order. Lines inserted or deleted elsewhere do not touch it. Without a
//! source the line's position among the function's executable lines stands in
//! for the text.

use crate::LineRow;
use crate::source_lines::SourceLines;
use rustc_hash::FxHashMap;

/// The fingerprints of all lines, in their order. Linear.
pub(super) fn fingerprints(lines: &[&LineRow], sources: &SourceLines) -> Vec<String> {
    let mut seen: FxHashMap<(&str, &str, &str), u32> = FxHashMap::default();
    lines
        .iter()
        .map(|line| {
            let source = sources.line(&line.file, line.line).unwrap_or("").trim();
            let count = seen
                .entry((&line.file, &line.function, source))
                .or_default();
            *count += 1;
            format!(
                "{}:{count}",
                short_hash(&[&line.file, &line.function, source])
            )
        })
        .collect()
}

/// Sixteen hexadecimal digits; parts are told apart by their lengths.
pub(super) fn short_hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    hex[..16].to_owned()
}

//! How many rows of an answer fit into one message, and where does the next one go on?
//!
//! A cursor is the position of the next row and a digest of the whole answer and its inputs. The next call makes the
//! answer anew, from warm state; if the digest is another one, the rows would belong to another answer,
//! and the client is told to begin again.
//!
//! A message holds at least one row, so that each call gets further. A row that does not fit alone is
//! shortened, and counted as that.

use crate::refusal::Refusal;
use crate::rows::{Head, Row, report_of};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub const DEFAULT_CHARACTERS: usize = 25_000;
const MIN_CHARACTERS: usize = 4_000;
const MAX_CHARACTERS: usize = 200_000;

/// What counts, names and punctuation around the report may take.
const ENVELOPE: usize = 600;

/// The limit that the client asks for.
pub fn limit(asked: Option<usize>) -> Result<usize, Refusal> {
    match asked.unwrap_or(DEFAULT_CHARACTERS) {
        limit @ MIN_CHARACTERS..=MAX_CHARACTERS => Ok(limit),
        other => Err(Refusal::invalid(format!(
            "max_characters is {other}; use {MIN_CHARACTERS} to {MAX_CHARACTERS}"
        ))),
    }
}

/// By table and verdict how many rows; rows without a verdict are `rows`.
pub type Counts = BTreeMap<String, BTreeMap<String, usize>>;

pub fn counts<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Counts {
    let mut counts = Counts::new();
    for row in rows {
        let verdict = row.verdict.as_deref().unwrap_or("rows").to_owned();
        let table = counts.entry(row.table.clone()).or_default();
        *table.entry(verdict).or_default() += 1;
    }
    counts
}

/// All rows that may be listed, in their order.
pub struct Listing {
    pub head: Head,
    pub rows: Vec<Row>,
    sizes: Vec<usize>,
    digest: String,
}

/// A part of a listing.
#[derive(Debug, Serialize)]
pub struct Page {
    /// Not all rows are here: `left_out` counts the rest, and `cursor` leads to it.
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The rows after this page.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: Counts,
    /// Rows and fields of the report that were too long and are here in part.
    #[serde(skip_serializing_if = "is_zero")]
    pub shortened: usize,
    pub report: Value,
    #[serde(skip)]
    pub first: usize,
    #[serde(skip)]
    pub last: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Page {
    /// Of nothing.
    pub fn empty() -> Page {
        Page {
            truncated: false,
            cursor: None,
            left_out: Counts::new(),
            shortened: 0,
            report: Value::Null,
            first: 0,
            last: 0,
        }
    }
}

impl Listing {
    /// Of an answer about this state of the inputs.
    pub fn new(head: Head, rows: Vec<Row>, inputs: &str) -> Listing {
        let mut hasher = blake3::Hasher::new();
        hasher.update(inputs.as_bytes());
        hasher.update(Value::Object(head.clone()).to_string().as_bytes());
        let mut sizes = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut size = 0;
            for cell in &row.cells {
                let text = cell.value.to_string();
                for part in cell.path.iter().chain(&cell.key) {
                    hasher.update(part.as_bytes());
                    hasher.update(b"\0");
                }
                hasher.update(text.as_bytes());
                // The last name of a path may be written for this row alone.
                let names = cell.path.iter().skip(1).chain(&cell.key);
                let names: usize = names.map(|name| json_length(name) + 6).sum();
                size += characters(&text) + 1 + names;
            }
            sizes.push(size);
        }
        Listing {
            head,
            rows,
            sizes,
            digest: hasher.finalize().to_hex()[..16].to_owned(),
        }
    }

    fn cursor(&self, position: usize) -> String {
        format!("{}-{position}", self.digest)
    }

    /// The position that a cursor stands for, if it is one of this answer.
    pub fn position(&self, cursor: &str) -> Result<usize, Refusal> {
        let position = cursor.split_once('-').and_then(|(digest, position)| {
            let position: usize = position.parse().ok()?;
            Some((digest, position))
        });
        let Some((digest, position)) = position else {
            return Err(Refusal::invalid(format!("`{cursor}` is not a cursor")));
        };
        if digest != self.digest {
            return Err(Refusal::new(
                "cursor-outdated",
                "the answer changed since the cursor was given, its files were edited, or the arguments are others; ask again without a cursor",
            ));
        }
        if position >= self.rows.len() {
            return Err(Refusal::invalid(format!("`{cursor}` is behind the end")));
        }
        Ok(position)
    }

    /// As many rows from the position on as fit into `room` characters of JSON, with the head.
    pub fn page(&self, position: usize, room: usize) -> Page {
        let mut shortened = 0;
        let head: Map<String, Value> = self
            .head
            .iter()
            .map(|(name, value)| (name.clone(), fitted(value, room / 8, &mut shortened)))
            .collect();
        let head_size = characters(&Value::Object(head.clone()).to_string());
        let counts_size = characters(&serde_json::json!(counts(&self.rows)).to_string());
        let room = room.saturating_sub(head_size + counts_size + ENVELOPE);
        let mut used = 0;
        let sizes = self.sizes[position..].iter();
        let fitting = sizes.take_while(|size| {
            used += **size;
            used <= room
        });
        let mut end = position + fitting.count();
        let mut rows = self.rows[position..end].to_vec();
        if let (true, Some(row)) = (rows.is_empty(), self.rows.get(position)) {
            let mut row = row.clone();
            let share = room / row.cells.len().max(1);
            for cell in &mut row.cells {
                cell.value = fitted(&cell.value, share, &mut shortened);
            }
            rows.push(row);
            end += 1;
        }
        let truncated = end < self.rows.len();
        Page {
            truncated,
            cursor: truncated.then(|| self.cursor(end)),
            left_out: counts(&self.rows[end..]),
            shortened,
            report: report_of(&head, &rows),
            first: position,
            last: end,
        }
    }
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

fn json_length(text: &str) -> usize {
    characters(&Value::from(text).to_string())
}

/// The value, or what of it fits: long texts and lists lose their ends, and say so.
fn fitted(value: &Value, room: usize, shortened: &mut usize) -> Value {
    if characters(&value.to_string()) <= room {
        return value.clone();
    }
    *shortened += 1;
    let steps = [(1000, 40), (300, 20), (120, 8), (60, 3), (30, 1)];
    let tries = steps.map(|(text, list)| cut(value, text, list));
    let fits = |value: &&Value| characters(&value.to_string()) <= room;
    tries.iter().find(fits).unwrap_or(&tries[4]).clone()
}

fn cut(value: &Value, text_room: usize, list_room: usize) -> Value {
    match value {
        Value::String(text) if characters(text) > text_room => {
            let kept: String = text.chars().take(text_room).collect();
            let rest = characters(text) - text_room;
            Value::from(format!("{kept}… ({rest} characters more)"))
        }
        Value::Array(list) => {
            let kept = list.iter().take(list_room);
            let mut kept: Vec<Value> = kept.map(|one| cut(one, text_room, list_room)).collect();
            let rest = list.len() - kept.len();
            if rest > 0 && list.iter().all(Value::is_string) {
                kept.push(Value::from(format!("… {rest} more")));
            }
            Value::Array(kept)
        }
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (name.clone(), cut(value, text_room, list_room)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::rows_of;
    use serde_json::json;

    fn listing(lines: usize) -> Listing {
        let lines: Vec<Value> = (0..lines)
            .map(|line| {
                let verdict = if line % 7 == 0 { "changed" } else { "possible" };
                json!({"file": "a.c", "line": line, "verdict": verdict, "score": 0.5,
                    "reasons": ["a.c:1: is changed", "ä".repeat(line % 90)]})
            })
            .collect();
        let (head, rows) = rows_of(json!({"schema": "knockon.diff/1", "complete": true,
            "lines": lines, "caveats": [{"kind": "budget", "message": "the time was up"}]}));
        Listing::new(head, rows, "inputs")
    }

    #[test]
    fn following_the_cursor_gives_each_row_once_and_no_page_is_too_long() {
        for room in [2_500, 4_000, 25_000] {
            let listing = listing(500);
            let mut seen: Vec<u64> = Vec::new();
            let mut position = 0;
            loop {
                let page = listing.page(position, room);
                let text = serde_json::to_string(&page).unwrap();
                assert!(characters(&text) <= room, "{} > {room}", characters(&text));
                assert_eq!(page.shortened, 0);
                let lines = page.report["lines"].as_array().unwrap();
                seen.extend(lines.iter().map(|line| line["line"].as_u64().unwrap()));
                let left: usize = page.left_out.values().flat_map(BTreeMap::values).sum();
                assert_eq!(left, listing.rows.len() - page.last);
                match page.cursor {
                    Some(cursor) => position = listing.position(&cursor).unwrap(),
                    None => break,
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..500).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_cursor_of_another_answer_is_refused() {
        let cursor = listing(500).page(0, 5_000).cursor.unwrap();
        let refusal = listing(499).position(&cursor).unwrap_err();
        assert_eq!(refusal.error, "cursor-outdated");
        for wrong in ["", "x", "-1", &cursor.replace('-', "-9")] {
            assert!(listing(500).position(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_row_that_does_not_fit_alone_is_shortened_and_counted() {
        let reasons: Vec<String> = (0..500)
            .map(|step| format!("a.c:{step}: uses it"))
            .collect();
        let (head, rows) =
            rows_of(json!({"lines": [{"line": 1, "reasons": reasons}, {"line": 2}]}));
        let listing = Listing::new(head, rows, "inputs");
        let page = listing.page(0, 3_000);
        assert_eq!((page.shortened, page.truncated), (1, true));
        let text = serde_json::to_string(&page).unwrap();
        assert!(characters(&text) <= 3_000, "{text}");
        assert!(text.contains("460 more"), "{text}");
    }

    #[test]
    fn limits_out_of_range_are_refused() {
        assert_eq!(limit(None).unwrap(), DEFAULT_CHARACTERS);
        assert!(limit(Some(10)).is_err() && limit(Some(1_000_000)).is_err());
    }
}

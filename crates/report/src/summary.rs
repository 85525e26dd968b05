//! What every renderer of a diff says first, and in which order it shows lines.
//!
//! The order is by verdict (changed, affected, possible), then by score, then by
//! place. It is total, so that every renderer cuts at the same lines.

use crate::{
    DiffReport, Evidence, FunctionRow, FunctionStatus, FunctionSummary, HunkAccount, LevelRow,
    LineRow, Verdict, escape_control_characters,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::fmt::Write;

/// Counts over a diff. One pass over its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// By verdict, the edited definitions among them.
    pub lines: [usize; 4],
    pub definitions: usize,
    /// Functions with at least one line that is not unaffected.
    pub reached_functions: usize,
    pub functions: usize,
    pub hunks: usize,
    pub hunks_not_compiled: usize,
    /// The last level reached.
    pub level: Option<String>,
}

impl Summary {
    pub fn of(report: &DiffReport) -> Summary {
        let mut lines = [0; 4];
        let mut reached = FxHashSet::default();
        for line in report.places() {
            lines[line.verdict.index()] += 1;
            if is_hit(line) && !line.function.is_empty() {
                reached.insert((&*line.file, &*line.function));
            }
        }
        let in_new = report
            .functions
            .iter()
            .filter(|function| function.status != FunctionStatus::Removed);
        Summary {
            lines,
            definitions: report.definitions.len(),
            reached_functions: reached.len(),
            functions: in_new.count().max(reached.len()),
            hunks: report.hunks.len(),
            hunks_not_compiled: report
                .hunks
                .iter()
                .filter(|hunk| hunk.account == HunkAccount::NotCompiled)
                .count(),
            level: report
                .levels
                .last()
                .map(|level| escape_control_characters(&level.level).into_owned()),
        }
    }

    pub fn count(&self, verdict: Verdict) -> usize {
        self.lines[verdict.index()]
    }

    /// Changed lines that are code themselves.
    pub fn changed_code(&self) -> usize {
        self.count(Verdict::Changed) - self.definitions
    }

    /// Lines of code.
    pub fn all(&self) -> usize {
        self.lines.iter().sum::<usize>() - self.definitions
    }

    pub fn hits(&self) -> usize {
        self.lines[..3].iter().sum()
    }

    pub fn hunk_account(&self) -> String {
        match (self.hunks, self.hunks_not_compiled) {
            (0, _) => "no hunks".to_owned(),
            (all, 0) => format!("hunks: all {all} accounted for"),
            (all, missing) => format!(
                "hunks: {} of {all} accounted for, {missing} not compiled",
                all - missing
            ),
        }
    }
}

/// `execute-after 9 → dataflow 5 → semantic-0 2`: the levels up to the last that took something away,
/// and that no later one did.
pub(crate) fn level_counts(report: &DiffReport) -> String {
    let Some(last) = report.levels.last() else {
        return String::new();
    };
    let settled = report
        .levels
        .iter()
        .position(|level| level.possible_lines == last.possible_lines)
        .unwrap_or(0);
    // The level of the verdicts is always named, and so is each that needs no proof.
    let is_shown = |number: usize| number <= settled || !rests_on_proofs(&report.levels[number]);
    let mut parts: Vec<String> = Vec::new();
    for (number, level) in report.levels.iter().enumerate() {
        if is_shown(number) {
            let name = escape_control_characters(&level.level);
            parts.push(format!("{name} {}", level.possible_lines));
        }
    }
    let mut text = parts.join(" → ");
    if !is_shown(report.levels.len() - 1) {
        let name = escape_control_characters(&last.level);
        let _ = write!(text, "; up to {name} nothing more");
    }
    text
}

pub(crate) fn rests_on_proofs(level: &LevelRow) -> bool {
    level.evidence == Evidence::Proofs
}

/// How many lines proofs took away, and how many functions that changed were proved equivalent; `None`
/// where nothing was proved.
pub(crate) fn proof_gain(report: &DiffReport) -> Option<(usize, usize)> {
    let last = report.levels.last()?;
    if !rests_on_proofs(last) {
        return None;
    }
    let mut before = report.levels.iter().rev();
    let before = before.find(|level| !rests_on_proofs(level))?;
    let functions = report.functions.iter();
    // What is the same code takes no proof.
    let equivalent = functions.filter(|row| {
        row.summary == FunctionSummary::Equivalent && row.status != FunctionStatus::Same
    });
    let gain = before.possible_lines.saturating_sub(last.possible_lines);
    Some((gain, equivalent.count()))
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 line`, `2,000 lines`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// A function's name where its place is shown, too: `check` of `long.c:check`, as functions are called
/// whose name several files have.
pub(crate) fn name_at_place(function: &str) -> &str {
    match function.rsplit_once(':') {
        Some((file, name)) if file.contains('.') && !file.ends_with(':') => name,
        Some(_) | None => function,
    }
}

pub(crate) fn is_hit(line: &LineRow) -> bool {
    line.verdict != Verdict::Unaffected
}

/// Best first.
pub(crate) fn by_rank(left: &LineRow, right: &LineRow) -> Ordering {
    (left.verdict.cmp(&right.verdict))
        .then_with(|| right.score.total_cmp(&left.score))
        .then_with(|| left.file.cmp(&right.file))
        .then_with(|| left.line.cmp(&right.line))
}

/// The edited definitions and the lines that are not unaffected, best first.
pub(crate) fn ranked_hits(report: &DiffReport) -> Vec<&LineRow> {
    let mut hits: Vec<&LineRow> = report.places().filter(|line| is_hit(line)).collect();
    hits.sort_by(|left, right| by_rank(left, right));
    hits
}

/// Lines of one function, in source order.
pub(crate) struct FunctionHits<'a> {
    pub function: &'a str,
    pub lines: Vec<&'a LineRow>,
}

pub(crate) struct FileHits<'a> {
    pub file: &'a str,
    pub functions: Vec<FunctionHits<'a>>,
}

impl<'a> FunctionHits<'a> {
    /// The best `count` lines, in source order.
    pub fn best(&self, count: usize) -> Vec<&'a LineRow> {
        let mut lines = self.lines.clone();
        if lines.len() > count {
            lines.sort_by(|left, right| by_rank(left, right));
            lines.truncate(count);
            lines.sort_by_key(|line| line.line);
        }
        lines
    }
}

/// The hits by file and function, each group at the rank of its best line.
pub(crate) fn grouped_hits(report: &DiffReport) -> Vec<FileHits<'_>> {
    let mut files: Vec<FileHits> = Vec::new();
    let mut file_of: FxHashMap<&str, usize> = FxHashMap::default();
    let mut function_of: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for line in ranked_hits(report) {
        let file = *file_of.entry(&line.file).or_insert_with(|| {
            files.push(FileHits {
                file: &line.file,
                functions: Vec::new(),
            });
            files.len() - 1
        });
        let functions = &mut files[file].functions;
        let function = *function_of
            .entry((&line.file, &line.function))
            .or_insert_with(|| {
                functions.push(FunctionHits {
                    function: &line.function,
                    lines: Vec::new(),
                });
                functions.len() - 1
            });
        functions[function].lines.push(line);
    }
    for function in files.iter_mut().flat_map(|file| &mut file.functions) {
        function.lines.sort_by_key(|line| line.line);
    }
    files
}

/// The functions that were added, removed, renamed or moved, in words.
pub(crate) fn function_changes(report: &DiffReport) -> Vec<String> {
    report
        .functions
        .iter()
        .filter_map(|function| {
            let (name, file) = (&function.name, &function.file);
            let from = function.from.as_deref().unwrap_or("another");
            match function.status {
                FunctionStatus::Added => Some(format!("{name} added in {file}")),
                FunctionStatus::Removed => Some(format!("{name} removed from {file}")),
                FunctionStatus::Renamed => Some(format!("{name} in {file} renamed from {from}")),
                FunctionStatus::Moved => Some(format!("{name} moved to {file} from {from}")),
                FunctionStatus::Changed | FunctionStatus::Same => None,
            }
        })
        .collect()
}

/// How edges of the spread name each function: by its name, with its file before it where
/// several have the name.
pub fn spread_names<'a>(
    functions: impl IntoIterator<Item = &'a FunctionRow, IntoIter: Clone>,
) -> Vec<String> {
    let functions = functions.into_iter();
    let mut count: FxHashMap<&str, usize> = FxHashMap::default();
    for function in functions.clone() {
        *count.entry(&function.name).or_default() += 1;
    }
    functions
        .map(|function| match count[&*function.name] {
            1 => function.name.to_string(),
            _ => format!("{}:{}", function.file, function.name),
        })
        .collect()
}

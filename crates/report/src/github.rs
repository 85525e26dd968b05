//! Workflow commands for GitHub Actions: the ten best lines as annotations.
//!
//! GitHub shows at most ten annotations of a kind per step, and beside the code
//! only those on lines of the diff; so lines of the diff come first, one changed
//! line for each hunk.

use crate::caveat::limits;
use crate::summary::{counted, ranked_hits};
use crate::{DiffReport, LineRow, Verdict, escape_control_characters};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

const ANNOTATIONS: usize = 10;

pub(crate) fn diff_github(report: &DiffReport) -> String {
    let mut text = format!("Knockon: {}\n", report.answer().join(" "));
    let hits = ranked_hits(report);
    let places = HunkPlaces::of(report);
    let mut annotated_hunks = FxHashSet::default();
    let (mut in_diff, mut others, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for line in hits {
        match places.hunk_at(line) {
            Some(hunk) if line.verdict == Verdict::Changed && !annotated_hunks.insert(hunk) => {
                repeated.push(line);
            }
            Some(_) => in_diff.push(line),
            None => others.push(line),
        }
    }
    let ordered = in_diff.into_iter().chain(others).chain(repeated);
    for line in ordered.take(ANNOTATIONS) {
        write_annotation(&mut text, report, line, places.hunk_at(line));
    }
    // Plain lines of the log. None begins with `::`; the runner's older mark counts anywhere.
    let limits = limits(&report.caveats, &report.assumptions);
    for line in limits.caveats.iter().chain(&limits.assumptions) {
        let line = escape_control_characters(line).replace("##[", "# #[");
        let _ = writeln!(text, "{line}");
    }
    text
}

/// The hunks of each file by their first new line. Hunks of one file do not overlap.
struct HunkPlaces<'a> {
    by_file: FxHashMap<&'a str, Vec<(u32, u32, usize)>>,
}

impl<'a> HunkPlaces<'a> {
    fn of(report: &'a DiffReport) -> HunkPlaces<'a> {
        let mut by_file: FxHashMap<&str, Vec<_>> = FxHashMap::default();
        for (index, hunk) in report.hunks.iter().enumerate() {
            let end = hunk.new_start.saturating_add(hunk.new_lines);
            by_file
                .entry(&hunk.file)
                .or_default()
                .push((hunk.new_start, end, index));
        }
        by_file.values_mut().for_each(|hunks| hunks.sort_unstable());
        HunkPlaces { by_file }
    }

    /// Which hunk's new text the line is in.
    fn hunk_at(&self, line: &LineRow) -> Option<usize> {
        let hunks = self.by_file.get(&*line.file)?;
        let after = hunks.partition_point(|(start, ..)| *start <= line.line);
        let (_, end, index) = hunks[after.checked_sub(1)?];
        (line.line < end).then_some(index)
    }
}

fn write_annotation(text: &mut String, report: &DiffReport, line: &LineRow, hunk: Option<usize>) {
    let command = match line.verdict {
        Verdict::Changed | Verdict::Unaffected => "notice",
        Verdict::Affected | Verdict::Possible => "warning",
    };
    let title = match line.verdict {
        Verdict::Possible => format!("Knockon: possible, score {:.2}", line.score),
        verdict => format!("Knockon: {}", verdict.name()),
    };
    let message = match (line.verdict, hunk, &line.witness) {
        (Verdict::Changed, Some(hunk), _) => {
            let hunk = &report.hunks[hunk];
            format!(
                "hunk {} may change the behaviour of {} elsewhere",
                hunk.number,
                counted(hunk.possible_lines, "line")
            )
        }
        (Verdict::Changed, None, _) => "a source of the change".to_owned(),
        (_, _, Some(witness)) => format!("behaves differently on {witness}\n{}", chain(line)),
        (_, _, None) => format!("may behave differently\n{}", chain(line)),
    };
    let _ = writeln!(
        text,
        "::{command} file={},line={},title={}::{}",
        property(&line.file),
        line.line,
        property(&title),
        data(message.trim_end())
    );
}

/// Hops of a chain that are shown at each of its ends.
const HOPS_AT_AN_END: usize = 5;

/// The chain, a hop a line; the middle of a long one is counted.
fn chain(line: &LineRow) -> String {
    let mut hops: Vec<String> = line.reasons.iter().map(|step| step.sentence()).collect();
    if hops.len() > 2 * HOPS_AT_AN_END {
        let middle = HOPS_AT_AN_END..hops.len() - HOPS_AT_AN_END;
        let hidden = format!("… {} more …", counted(middle.len(), "hop"));
        hops.splice(middle, [hidden]);
    }
    hops.join("\n")
}

/// As the runner unescapes what follows the second `::`.
fn data(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' => escaped.push_str("%25"),
            '\r' => escaped.push_str("%0D"),
            '\n' => escaped.push_str("%0A"),
            other => escaped.push_str(&escape_control_characters(other.encode_utf8(&mut [0; 4]))),
        }
    }
    escaped
}

/// As the runner unescapes a property's value.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

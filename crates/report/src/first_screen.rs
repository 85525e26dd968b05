//! **Question.** What does a reviewer see first on a terminal of 80 columns and 24 rows?
//!
//! The answer in a few sentences, then at most twenty places, the nearest first: what changed, and
//! what may behave differently because of it, each with its reason. Where most of the program may,
//! single lines say little, and the nearest functions are named instead. Then one line each for what
//! is not compiled, for what the answer rests on, and for how to see more.

use crate::caveat::limits_line;
use crate::edited_definitions::edited_definitions;
use crate::headline::is_mostly_possible;
use crate::source_lines::{SourceLines, expand_tabs, shorten};
use crate::summary::{FunctionHits, Summary, counted, grouped_hits, name_at_place, ranked_hits};
use crate::wrap::wrapped;
use crate::{
    DiffReport, Evidence, HunkAccount, LineRow, Style, Verdict, escape_control_characters,
};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Rows of a screen, without the one of the next prompt.
const ROWS: usize = 23;
const MAX_PLACES: usize = 20;
/// Functions that are named where most of the program may behave differently.
const MAX_FUNCTIONS: usize = 10;
/// Changed lines that are shown where others have to be shown as well.
const CHANGED_BESIDE_OTHERS: usize = 5;
/// A reason that has fewer columns is left out.
const MIN_REASON: usize = 12;
/// Columns before the text of a line: its number and its verdict.
const MARGIN: usize = 19;

/// Rows that are read from top to bottom.
pub(crate) fn first_screen(report: &DiffReport, style: Style) -> String {
    let mut head = opening(report, style);
    let tail = closing(report, style);
    // An empty row stands before and after the places.
    let room = ROWS.saturating_sub(head.len() + tail.len() + 2).max(6);
    let summary = Summary::of(report);
    // Of a part that the user chose, the places are what is asked for.
    let is_about_functions = is_mostly_possible(&summary)
        && summary.hits() > MAX_PLACES
        && report.whole_answer.is_none();
    let (mut body, hidden) = match is_about_functions {
        true => nearest_functions(report, style, room),
        false => nearest_places(report, style, room),
    };
    if !body.is_empty() {
        head.push(String::new());
        head.append(&mut body);
    }
    if hidden > 0 {
        let them = if hidden == 1 { "it" } else { "them" };
        let more = format!("  … {} more: --full shows {them}", counted(hidden, "line"));
        head.push(style.dim(&more));
    }
    if !tail.is_empty() {
        head.push(String::new());
    }
    let rows = head.into_iter().chain(tail);
    rows.fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "{}", row.trim_end());
        text
    })
}

/// The versions and the sentences.
pub(crate) fn opening(report: &DiffReport, style: Style) -> Vec<String> {
    let versions = format!("{} → {}", report.old.name, report.new.name);
    let mut rows = vec![style.dim(&escape_control_characters(&versions))];
    let text = report.answer().join(" ");
    rows.extend(
        wrapped(&text, style.width)
            .iter()
            .map(|row| style.bold(row)),
    );
    if let Some(message) = out_of_time(report) {
        rows.push(style.warning(message));
    }
    if !report.complete {
        let message = "Some of the program could not be read: --caveats says what, and it counts as affected.";
        let lines = wrapped(message, style.width);
        rows.extend(lines.iter().map(|row| style.warning(row)));
    }
    rows
}

/// The levels that are left might say more.
fn out_of_time(report: &DiffReport) -> Option<&'static str> {
    let is_budget = |caveat: &crate::ReportedCaveat| caveat.kind == "budget";
    let last = report.levels.last()?;
    if !report.caveats.iter().any(is_budget) {
        return None;
    }
    match last.evidence {
        Evidence::Order => Some("Time was up early: a larger --budget says much more."),
        Evidence::Proofs if last.is_final => None,
        _ => Some("Time was up during the proofs: a larger --budget may clear more lines."),
    }
}

/// What is not compiled, what the answer rests on.
fn closing(report: &DiffReport, style: Style) -> Vec<String> {
    let mut rows = Vec::new();
    let missing = report.hunks.iter();
    let missing: Vec<_> = missing
        .filter(|hunk| hunk.account == HunkAccount::NotCompiled)
        .collect();
    if let Some(first) = missing.first() {
        let message = format!(
            "{} of {} not compiled: {}:{} ({}){}",
            missing.len(),
            counted(report.hunks.len(), "hunk"),
            first.file,
            first.new_start,
            first.message,
            match missing.len() {
                1 => "",
                _ => ", …",
            }
        );
        let message = shorten(&escape_control_characters(&message), style.width);
        rows.push(style.warning(&message));
    }
    if let Some(line) = limits_line(&report.caveats, &report.assumptions) {
        let lines = wrapped(&line, style.width);
        rows.extend(lines.iter().map(|row| style.dim(row)));
    }
    rows
}

/// The best places, by function; how many lines are left out.
fn nearest_places(report: &DiffReport, style: Style, room: usize) -> (Vec<String>, usize) {
    let sources = SourceLines::of(&report.sources, |_| true);
    let definitions = edited_definitions(report, &sources);
    let hits: Vec<&LineRow> = definitions
        .iter()
        .chain(ranked_hits(report))
        .filter(|line| has_words(line, &sources))
        .collect();
    let changed = hits.iter();
    let changed = changed
        .filter(|line| line.verdict == Verdict::Changed)
        .count();
    let max_changed = match changed < hits.len() {
        true => CHANGED_BESIDE_OTHERS.max(room.saturating_sub(2 * (hits.len() - changed) + 2)),
        false => MAX_PLACES,
    };
    // Each function takes a row of its own.
    let mut chosen: Vec<&LineRow> = Vec::new();
    let mut groups: FxHashSet<(&str, &str)> = FxHashSet::default();
    let (mut rows, mut changed_shown) = (0, 0);
    for line in &hits {
        if line.verdict == Verdict::Changed {
            if changed_shown == max_changed {
                continue;
            }
            changed_shown += 1;
        }
        let group = (&*line.file, &*line.function);
        rows += 1 + usize::from(!groups.contains(&group));
        rows += usize::from(is_long_change(line, &sources, style));
        if rows + usize::from(chosen.len() + 1 < hits.len()) > room || chosen.len() == MAX_PLACES {
            break;
        }
        groups.insert(group);
        chosen.push(*line);
    }
    let hidden = hits.len() - chosen.len();
    (place_rows(&chosen, &sources, style), hidden)
}

/// Lines below their functions, each function at the rank of its first line.
fn place_rows(lines: &[&LineRow], sources: &SourceLines, style: Style) -> Vec<String> {
    let mut groups: Vec<(&str, &str, Vec<&LineRow>)> = Vec::new();
    for line in lines {
        let known = groups
            .iter_mut()
            .find(|group| group.0 == &*line.file && group.1 == &*line.function);
        match known {
            Some(group) => group.2.push(line),
            None => groups.push((&line.file, &line.function, vec![line])),
        }
    }
    let mut rows = Vec::new();
    for (file, function, mut lines) in groups {
        let heading = match name_at_place(function) {
            "" => file.to_owned(),
            function => format!("{file}  {function}"),
        };
        rows.push(style.bold(&escape_control_characters(&heading)));
        lines.sort_by_key(|line| line.line);
        for line in lines {
            rows.extend(rows_of_place(line, sources, style));
        }
    }
    rows
}

/// A changed line that is too long has a second row: what is cut off may be the change.
fn rows_of_place(line: &LineRow, sources: &SourceLines, style: Style) -> Vec<String> {
    let row = place_row(line, sources, style);
    if !is_long_change(line, sources, style) {
        return vec![row];
    }
    let source = sources.line(&line.file, line.line).unwrap_or_default();
    let source = expand_tabs(source.trim());
    let source = escape_control_characters(&source).into_owned();
    let width = source_width(style);
    let mut halves = wrapped(&source, width).into_iter();
    let first = halves.next().unwrap_or_default();
    let rest = halves.collect::<Vec<String>>().join(" ");
    let label = style.verdict(line.verdict, &format!("{:<8}", line.verdict.name()));
    vec![
        format!("{:>7}  {label}  {}", line.line, shorten(&first, width)),
        format!("{:MARGIN$}{}", "", shorten(&rest, width)),
    ]
}

fn is_long_change(line: &LineRow, sources: &SourceLines, style: Style) -> bool {
    let source = sources.line(&line.file, line.line).unwrap_or_default();
    line.verdict == Verdict::Changed
        && note(line).is_empty()
        && expand_tabs(source.trim()).chars().count() > source_width(style)
}

fn source_width(style: Style) -> usize {
    style.width.saturating_sub(MARGIN).max(20)
}

/// The line of a brace says nothing.
fn has_words(line: &LineRow, sources: &SourceLines) -> bool {
    let source = sources.line(&line.file, line.line);
    source.is_none_or(|source| source.contains(char::is_alphanumeric))
}

/// `    21  changed   if (minutes <= FREE_MINUTES)`
fn place_row(line: &LineRow, sources: &SourceLines, style: Style) -> String {
    let source = sources.line(&line.file, line.line).unwrap_or_default();
    let source = expand_tabs(source.trim());
    let source = escape_control_characters(&source).into_owned();
    let note = escape_control_characters(&note(line)).into_owned();
    let width = source_width(style);
    let label = match line.verdict {
        Verdict::Possible => format!("may {:.2}", line.score),
        verdict => verdict.name().to_owned(),
    };
    let label = style.verdict(line.verdict, &format!("{label:<8}"));
    if note.is_empty() {
        return format!("{:>7}  {label}  {}", line.line, shorten(&source, width));
    }
    // The reason says more than the rest of a long line.
    let arrow = "  ← ";
    let note_width = note.chars().count().min((width * 3) / 5);
    let source_width = width - note_width.min(width) - arrow.chars().count();
    let source = shorten(&source, source_width);
    let taken = source.chars().count() + arrow.chars().count();
    let note = shorten(&note, width.saturating_sub(taken));
    format!(
        "{:>7}  {label}  {source}{}",
        line.line,
        style.dim(&format!("{arrow}{note}"))
    )
}

/// A changed line needs no reason; another has its last hop, or its witness.
pub(crate) fn note(line: &LineRow) -> String {
    match (&line.witness, line.verdict, line.reasons.last()) {
        (Some(witness), ..) => format!("seen on {witness}"),
        (None, Verdict::Changed, _) | (None, _, None) => String::new(),
        (None, _, Some(step)) => step.text.to_string(),
    }
}

/// What changed, then the functions that the change reaches first.
fn nearest_functions(report: &DiffReport, style: Style, room: usize) -> (Vec<String>, usize) {
    let sources = SourceLines::of(&report.sources, |_| true);
    let definitions = edited_definitions(report, &sources);
    let hits = ranked_hits(report);
    let is_changed = |line: &&LineRow| line.verdict == Verdict::Changed;
    let changed: Vec<&LineRow> = definitions
        .iter()
        .chain(hits.into_iter().filter(is_changed))
        .filter(|line| has_words(line, &sources))
        .collect();
    let shown = &changed[..changed.len().min(CHANGED_BESIDE_OTHERS)];
    let mut rows = place_rows(shown, &sources, style);
    let left = room.saturating_sub(rows.len() + 1);
    let heading_at = rows.len();
    let files = grouped_hits(report);
    let mut functions: Vec<(&str, &FunctionHits<'_>, &LineRow, usize)> = Vec::new();
    for file in &files {
        for function in &file.functions {
            let others = function.lines.iter();
            let others = others.filter(|line| line.verdict != Verdict::Changed);
            let count = others.clone().count();
            let best = others.min_by(|one, two| crate::summary::by_rank(one, two));
            if let Some(best) = best {
                functions.push((file.file, function, best, count));
            }
        }
    }
    // Of equals, the rest of a changed function is read with the change, and then its file.
    let has_change = |file: &str, function: &FunctionHits<'_>| {
        let is_its = |line: &&LineRow| &*line.file == file && &*line.function == function.function;
        changed.iter().any(is_its)
    };
    let is_in_changed_file = |file: &str| changed.iter().any(|line| &*line.file == file);
    functions.sort_by(|one, two| {
        let (first, second) = (has_change(one.0, one.1), has_change(two.0, two.1));
        let (near, far) = (is_in_changed_file(one.0), is_in_changed_file(two.0));
        second
            .cmp(&first)
            .then_with(|| two.2.score.total_cmp(&one.2.score))
            .then_with(|| far.cmp(&near))
            .then_with(|| crate::summary::by_rank(one.2, two.2))
    });
    functions.truncate(left.clamp(3, MAX_FUNCTIONS));
    // That level has no reasons, and all functions are equally near.
    let is_coarse = (report.levels.last()).is_some_and(|row| row.evidence == Evidence::Order);
    let heading = match is_coarse {
        true => "Functions that may run after the change:",
        false => "The functions nearest to the change:",
    };
    rows.insert(heading_at, style.bold(heading));
    for (file, function, best, count) in functions {
        rows.push(function_row(file, function.function, best, count, style));
    }
    (rows, 0)
}

/// `  zi_short  zipinfo.c:2187, 168 lines  ← gets it through sprintf`. Where the row is too short for
/// both, the reason says more than the count.
fn function_row(file: &str, function: &str, best: &LineRow, count: usize, style: Style) -> String {
    let name = match name_at_place(function) {
        "" => file,
        function => function,
    };
    let place = format!("  {name}  {file}:{}", best.line);
    let place = escape_control_characters(&place).into_owned();
    let counts = format!(", {}", counted(count, "line"));
    let reason = note(best);
    let reason = escape_control_characters(&reason);
    let arrow = "  ← ";
    let room = (style.width).saturating_sub(place.chars().count() + arrow.chars().count());
    let (counts, room) = match room.checked_sub(counts.chars().count()) {
        Some(left) if left >= reason.chars().count() => (counts, left),
        Some(_) | None => (String::new(), room),
    };
    match room < MIN_REASON || reason.is_empty() {
        true => shorten(&format!("{place}{counts}"), style.width),
        false => format!(
            "{place}{counts}{}",
            style.dim(&format!("{arrow}{}", shorten(&reason, room)))
        ),
    }
}

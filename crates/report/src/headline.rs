//! The answer in a few sentences: what changed, how far it reaches, whether the output differs.
//!
//! Every format for people begins with these sentences, so that all of them say the same.

use crate::edited_definitions::{edited_definitions, name_of_macro};
use crate::source_lines::SourceLines;
use crate::summary::{
    Summary, counted, grouped, name_at_place, proof_gain, ranked_hits, rests_on_proofs,
};
use crate::{DiffReport, HunkAccount, LineRow, OutputVerdict, Verdict, escape_control_characters};
use rustc_hash::FxHashSet;

/// Functions that are named before the rest is counted.
const FUNCTIONS_NAMED: usize = 3;

/// The sentences in the order in which they are read. Names stand between backticks.
pub(crate) fn headline(report: &DiffReport) -> Vec<String> {
    let summary = Summary::of(report);
    let mut sentences = match definitions(report) {
        None => vec![changed(report, &summary)],
        // The lines that read them say the rest.
        Some(definitions) if summary.changed_code() + report.removed.len() == 0 => {
            vec![definitions]
        }
        Some(definitions) => vec![changed(report, &summary), definitions],
    };
    if summary.hits() > 0 || !report.removed.is_empty() {
        sentences.push(reach(&summary));
    }
    if summary.count(Verdict::Affected) > 0 {
        let count = counted(summary.count(Verdict::Affected), "line");
        sentences.push(format!("{count} behaved differently on a run."));
    }
    sentences.extend(proofs(report));
    let says_more = summary.hits() > 0 || report.output != OutputVerdict::Equal;
    if says_more {
        sentences.push(report.output.sentence().to_owned());
    }
    if let Some(tests) = tests_to_run(report) {
        sentences.push(tests);
    }
    sentences.extend(not_compared(report));
    sentences
}

/// Programs that one version lacks, as the hunks in them name them.
fn not_compared(report: &DiffReport) -> Option<String> {
    let hunks = report.hunks.iter();
    let messages = hunks
        .filter(|hunk| hunk.account == HunkAccount::InTheDelta && !hunk.message.is_empty())
        .map(|hunk| &*hunk.message);
    let mut messages: Vec<&str> = messages.collect();
    messages.sort_unstable();
    messages.dedup();
    match messages[..] {
        [] => None,
        [one] => Some(format!(
            "{} and is not compared.",
            escape_control_characters(one)
        )),
        [one, ..] => Some(format!(
            "{}, and so are {} other programs; they are not compared.",
            escape_control_characters(one),
            messages.len() - 1
        )),
    }
}

/// More than half of the executable lines may behave differently: then single lines say little.
pub(crate) fn is_mostly_possible(summary: &Summary) -> bool {
    let all = summary.all();
    summary.count(Verdict::Possible) * 2 > all
}

fn changed(report: &DiffReport, summary: &Summary) -> String {
    let lines = summary.changed_code();
    let removed = report.removed.len();
    if lines + removed == 0 {
        return nothing_changed(report, summary);
    }
    let (functions, files) = changed_places(report);
    let mut counts = Vec::new();
    if lines > 0 {
        counts.push(counted(lines, "line"));
    }
    match (removed, lines) {
        (0, _) => {}
        (_, 0) => counts.push(format!("{} removed", counted(removed, "line"))),
        (_, _) => counts.push(format!("{removed} removed")),
    }
    let counts = counts.join(", ");
    let place = match files.as_slice() {
        [file] => format!(" in {file}"),
        files => format!(" in {}", counted(files.len(), "file")),
    };
    match functions.as_slice() {
        [] => format!("Code{place} changed ({counts})."),
        [last] => format!("`{last}`{place} changed ({counts})."),
        [all @ .., last] if functions.len() <= FUNCTIONS_NAMED => {
            let all = all.join("`, `");
            format!("`{all}` and `{last}`{place} changed ({counts}).")
        }
        all => format!(
            "{}{place} changed ({counts}), among them `{}`.",
            counted(all.len(), "function"),
            all[..FUNCTIONS_NAMED].join("`, `")
        ),
    }
}

/// `LIM` in limits.h changed, and 3 lines read it.
fn definitions(report: &DiffReport) -> Option<String> {
    let rows = &report.definitions;
    let names: Vec<_> = rows
        .iter()
        .flat_map(|row| &row.names)
        .map(|name| escape_control_characters(name))
        .collect();
    let files: FxHashSet<&str> = rows.iter().map(|row| &*row.place.file).collect();
    let readers = rows.iter().map(|row| row.readers).sum();
    let place = match files.len() {
        1 => escape_control_characters(&rows[0].place.file).into_owned(),
        count => counted(count, "file"),
    };
    let is_one = names.len() == 1;
    let names = names.as_slice();
    let what = match names {
        [] => return None,
        [name] => format!("The definition of `{name}`"),
        [all @ .., last] if names.len() <= FUNCTIONS_NAMED => {
            format!("The definitions of `{}` and `{last}`", all.join("`, `"))
        }
        names => format!(
            "{}, among them `{}`,",
            counted(names.len(), "definition"),
            names[..FUNCTIONS_NAMED].join("`, `")
        ),
    };
    let read = match (readers, is_one) {
        (0, _) => String::new(),
        (1, true) => ", and 1 line reads it".to_owned(),
        (1, false) => ", and 1 line reads one of them".to_owned(),
        (readers, true) => format!(", and {} read it", counted(readers, "line")),
        (readers, false) => format!(", and {} read them", counted(readers, "line")),
    };
    Some(format!("{what} in {place} changed{read}."))
}

/// No line of code changed itself.
fn nothing_changed(report: &DiffReport, summary: &Summary) -> String {
    let edited = report.hunks.iter();
    // A hunk with a message is in a program that is not compared.
    let edited =
        edited.filter(|hunk| hunk.account == HunkAccount::InTheDelta && hunk.message.is_empty());
    let files: FxHashSet<&str> = edited.map(|hunk| &*hunk.file).collect();
    let mut files: Vec<&str> = files.into_iter().collect();
    files.sort_unstable();
    if let (Some(named), true) = (changed_macros(report), summary.hits() > 0) {
        return named;
    }
    match (files.as_slice(), summary.hits()) {
        ([], 0) if report.hunks.is_empty() => "Nothing changed.".to_owned(),
        ([], 0) => "Nothing changed in the code that is compiled.".to_owned(),
        ([], _) => {
            "No line of code changed, but what is built from it may be another program.".to_owned()
        }
        ([file], _) => format!(
            "Definitions in {} changed, and no line of code itself.",
            escape_control_characters(file)
        ),
        (files, _) => format!(
            "Definitions in {} changed, and no line of code itself.",
            counted(files.len(), "file")
        ),
    }
}

/// `LIMIT` in limits.h changed.
fn changed_macros(report: &DiffReport) -> Option<String> {
    let sources = SourceLines::of(&report.sources, |_| true);
    let definitions = edited_definitions(report, &sources);
    let mut names: Vec<&str> = definitions
        .iter()
        .map(|row| name_of_macro(sources.line(&row.file, row.line)?))
        .collect::<Option<_>>()?;
    names.dedup();
    let file = &definitions.first()?.file;
    let is_one_file = definitions.iter().all(|row| row.file == *file);
    if names.len() > FUNCTIONS_NAMED || !is_one_file {
        return None;
    }
    Some(format!(
        "`{}` in {} changed.",
        escape_control_characters(&names.join("`, `")),
        escape_control_characters(file)
    ))
}

/// The functions and files that hold the change, in the order of their lines' ranks.
fn changed_places(report: &DiffReport) -> (Vec<String>, Vec<String>) {
    let is_changed = |line: &&&LineRow| line.verdict == Verdict::Changed;
    let hits = ranked_hits(report);
    // Definitions have a sentence of their own.
    let changed = hits.iter().filter(|line| !line.function.is_empty());
    let changed = changed.filter(is_changed);
    let lines = changed.map(|line| (&*line.function, &*line.file));
    let removed = report.removed.iter();
    let removed = removed.map(|row| (&*row.function, &*row.file));
    let (mut functions, mut files) = (Vec::new(), Vec::new());
    for (function, file) in lines.chain(removed) {
        let function = escape_control_characters(name_at_place(function)).into_owned();
        let file = escape_control_characters(file).into_owned();
        if !function.is_empty() && !functions.contains(&function) {
            functions.push(function);
        }
        if !files.contains(&file) {
            files.push(file);
        }
    }
    (functions, files)
}

fn reach(summary: &Summary) -> String {
    let possible = summary.count(Verdict::Possible);
    let unaffected = summary.count(Verdict::Unaffected);
    let all = summary.all();
    let functions = format!(
        "{} of {}",
        grouped(summary.reached_functions),
        counted(summary.functions, "function")
    );
    match (possible, unaffected) {
        (0, 0) => "Nothing else is affected.".to_owned(),
        (0, _) if summary.count(Verdict::Affected) > 0 => {
            format!("The other {} are unaffected.", counted(unaffected, "line"))
        }
        (0, _) => format!(
            "Nothing else is affected ({} unaffected).",
            counted(unaffected, "line")
        ),
        (_, 0) => format!(
            "All of the program may behave differently ({}).",
            counted(possible, "line")
        ),
        (_, _) if is_mostly_possible(summary) => format!(
            "Most of the program may behave differently: {} of {} lines, in {functions}.",
            grouped(possible),
            grouped(all)
        ),
        (_, _) => format!(
            "{} in {functions} may behave differently; {} cannot.",
            match summary.count(Verdict::Changed) {
                0 => counted(possible, "line"),
                _ => counted(possible, "other line"),
            },
            grouped(unaffected)
        ),
    }
}

fn proofs(report: &DiffReport) -> Option<String> {
    let last = report.levels.last()?;
    let (gain, _) = proof_gain(report)?;
    match (gain, rests_on_proofs(last)) {
        (0, _) | (_, false) => None,
        (gain, true) => Some(format!("Proofs cleared {}.", counted(gain, "line"))),
    }
}

/// Programs of the build that are tests and that the change reaches.
fn tests_to_run(report: &DiffReport) -> Option<String> {
    let tests: Vec<_> = report
        .executables
        .iter()
        .filter(|row| row.is_test)
        .collect();
    let reached: Vec<String> = tests
        .iter()
        .filter(|row| row.possible_lines > 0)
        .map(|row| escape_control_characters(&row.name).into_owned())
        .collect();
    match (tests.len(), reached.len()) {
        (0, _) => None,
        // What prints the same and ends alike passes as before.
        _ if report.output == OutputVerdict::Equal => None,
        (_, 0) => Some("No test program of this build can notice it.".to_owned()),
        (all, count) if count <= FUNCTIONS_NAMED => Some(format!(
            "Tests to run ({count} of {all}): {}.",
            reached.join(", ")
        )),
        (all, count) => Some(format!(
            "Tests to run ({count} of {all}): {}, … (--full names all).",
            reached[..FUNCTIONS_NAMED].join(", ")
        )),
    }
}

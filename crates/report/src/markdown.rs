//! Markdown for a comment on a pull request: a summary, and details folded.
//!
//! Everything that comes from the program is escaped so that it shows as it is:
//! numeric character references are never Markdown syntax, and inside `<code>`
//! GitHub turns no name into a mention. The text stays below GitHub's limit for
//! comments; what does not fit is counted.

use crate::source_lines::{SourceLines, expand_tabs, shorten};
use crate::summary::{FileHits, FunctionHits, Summary, counted, function_changes, grouped_hits};
use crate::{
    DiffReport, HunkAccount, ReportedCaveat, Verdict, count_by_kind, escape_control_characters,
};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Characters that a comment may have. GitHub takes 65,536.
const LIMIT: usize = 65_000;
/// Room kept for the sections after the lines, each of which is bounded.
const TAIL: usize = 15_000;
/// Lines of one function that are listed.
const LINES_SHOWN: usize = 20;
/// Rows of each other table.
const ROWS_SHOWN: usize = 15;
/// Characters of a name, a line or a message.
const WIDTH: usize = 160;

/// Text that shows as it is, also in a table's cell.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in escape_control_characters(text).chars() {
        match character {
            // A comment between the sign and the name keeps GitHub from notifying anyone.
            '@' => escaped.push_str("@<!-- -->"),
            ' ' | '.' | ',' | ';' | ':' | '(' | ')' | '/' | '-' => escaped.push(character),
            _ if character.is_ascii_punctuation() => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The same for a sentence: what stands between backticks is code.
pub(crate) fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(text);
    }
    let shown = parts
        .iter()
        .enumerate()
        .map(|(index, part)| match index % 2 {
            0 => escaped(part),
            _ => code(part),
        });
    shown.collect()
}

/// The same in a fixed-width font.
pub(crate) fn code(text: &str) -> String {
    let shown = shorten(&escape_control_characters(text), WIDTH);
    let mut escaped = String::from("<code>");
    for character in shown.chars() {
        match character {
            ' ' | '.' | ',' | ';' | '(' | ')' | '/' | '-' => escaped.push(character),
            _ if character.is_ascii_punctuation() => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    escaped.push_str("</code>");
    escaped
}

pub(crate) fn diff_markdown(report: &DiffReport) -> String {
    let mut text = String::new();
    write_summary(&mut text, report);
    write_lines(&mut text, report);
    write_functions(&mut text, report);
    write_hunks(&mut text, report);
    write_caveats(&mut text, report);
    text
}

fn write_summary(text: &mut String, report: &DiffReport) {
    let summary = Summary::of(report);
    let _ = writeln!(
        text,
        "### Knockon: {} → {}\n",
        code(&report.old.name),
        code(&report.new.name)
    );
    if !report.complete {
        text.push_str("> [!WARNING]\n> The input is incomplete: see the caveats.\n\n");
    }
    for sentence in report.answer() {
        let _ = writeln!(text, "{}", prose(&sentence));
    }
    text.push('\n');
    let mut cells = String::new();
    for verdict in Verdict::ALL {
        let _ = write!(cells, " {} |", summary.count(verdict));
    }
    let level = match &summary.level {
        Some(level) => format!(" ({})", escaped(level)),
        None => String::new(),
    };
    let _ = writeln!(
        text,
        "| | changed | affected | possible{level} | unaffected |\n|---|--:|--:|--:|--:|\n| lines |{cells}\n"
    );
    let _ = writeln!(text, "{}.\n", summary.hunk_account());
}

fn write_lines(text: &mut String, report: &DiffReport) {
    let files = grouped_hits(report);
    let with_hits: FxHashSet<&str> = files.iter().map(|file| file.file).collect();
    let sources = SourceLines::of(&report.sources, |path| with_hits.contains(path));
    let mut length = text.chars().count();
    let (mut hidden_functions, mut hidden_lines) = (0, 0);
    for FileHits { file, functions } in &files {
        for function in functions {
            let fits = hidden_functions == 0;
            let block = fits.then(|| function_block(&sources, file, function));
            let block_length = block.as_ref().map_or(0, |block| block.chars().count());
            match block {
                Some(block) if length + block_length + TAIL <= LIMIT => {
                    text.push_str(&block);
                    length += block_length;
                }
                _ => {
                    hidden_functions += 1;
                    hidden_lines += function.lines.len();
                }
            }
        }
    }
    if hidden_functions > 0 {
        let _ = writeln!(
            text,
            "\n{} more in {} did not fit here.",
            counted(hidden_lines, "line"),
            counted(hidden_functions, "function")
        );
    }
    text.push('\n');
}

fn function_block(sources: &SourceLines, file: &str, group: &FunctionHits) -> String {
    let mut block = String::new();
    let mut counts = [0; 4];
    for line in &group.lines {
        counts[line.verdict.index()] += 1;
    }
    let counts: Vec<String> = Verdict::ALL
        .iter()
        .filter(|verdict| counts[verdict.index()] > 0)
        .map(|verdict| format!("{} {}", counts[verdict.index()], verdict.name()))
        .collect();
    let _ = writeln!(
        block,
        "<details><summary>{}: {}</summary>\n\n| line | verdict | source | because |\n|--:|---|---|---|",
        match group.function {
            "" => code(file),
            function => format!("{} {}", code(file), code(function)),
        },
        counts.join(", ")
    );
    for line in group.best(LINES_SHOWN) {
        let verdict = match line.verdict {
            Verdict::Changed => "**changed**".to_owned(),
            verdict => format!("{} {:.2}", verdict.name(), line.score),
        };
        let source = sources.line(file, line.line).unwrap_or_default();
        let because = match (&line.witness, line.reasons.last()) {
            (Some(witness), _) => format!("seen on {witness}"),
            (None, Some(step)) => step.text.to_string(),
            (None, None) => String::new(),
        };
        let _ = writeln!(
            block,
            "| {} | {verdict} | {} | {} |",
            line.line,
            code(&expand_tabs(source.trim())),
            prose(&shorten(&because, WIDTH))
        );
    }
    if group.lines.len() > LINES_SHOWN {
        let hidden = counted(group.lines.len() - LINES_SHOWN, "line");
        let _ = writeln!(block, "\n{hidden} more in this function.");
    }
    block.push_str("\n</details>\n");
    block
}

fn write_functions(text: &mut String, report: &DiffReport) {
    let changes = function_changes(report);
    if changes.is_empty() {
        return;
    }
    let heading = counted(changes.len(), "function");
    let _ = writeln!(
        text,
        "<details><summary>{heading} added, removed or named anew</summary>\n"
    );
    for change in changes.iter().take(ROWS_SHOWN) {
        let _ = writeln!(text, "- {}", code(change));
    }
    if changes.len() > ROWS_SHOWN {
        let _ = writeln!(text, "- {} more", changes.len() - ROWS_SHOWN);
    }
    text.push_str("\n</details>\n");
}

fn write_hunks(text: &mut String, report: &DiffReport) {
    if report.hunks.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "<details><summary>{}</summary>\n\n| | place | account | possible lines |\n|--:|---|---|--:|",
        counted(report.hunks.len(), "hunk")
    );
    // Those that need attention first.
    let mut hunks: Vec<_> = report.hunks.iter().collect();
    hunks.sort_by_key(|hunk| (hunk.account != HunkAccount::NotCompiled, hunk.number));
    for hunk in hunks.iter().take(ROWS_SHOWN) {
        let message = match &*hunk.message {
            "" => String::new(),
            message => format!(": {}", escaped(&shorten(message, WIDTH))),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {}{message} | {} |",
            hunk.number,
            code(&format!("{}:{}", hunk.file, hunk.new_start)),
            hunk.account.name(),
            hunk.possible_lines
        );
    }
    if hunks.len() > ROWS_SHOWN {
        let _ = writeln!(text, "\n{} more.", hunks.len() - ROWS_SHOWN);
    }
    text.push_str("\n</details>\n");
}

fn write_caveats(text: &mut String, report: &DiffReport) {
    let counts = count_by_kind(&report.caveats);
    if counts.is_empty() && report.assumptions.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "<details><summary>{}, {}</summary>\n",
        counted(report.caveats.len(), "caveat"),
        counted(report.assumptions.len(), "assumption")
    );
    let kinds = counts.len();
    for (kind, count) in counts.into_iter().take(ROWS_SHOWN) {
        let first = report.caveats.iter().find(|caveat| caveat.kind == kind);
        let example = first.map(ReportedCaveat::sentence).unwrap_or_default();
        let _ = writeln!(
            text,
            "- {} ({count}): {}",
            code(kind),
            prose(&shorten(&example, WIDTH))
        );
    }
    if kinds > ROWS_SHOWN {
        let _ = writeln!(text, "- {} more kinds of caveat", kinds - ROWS_SHOWN);
    }
    for assumption in report.assumptions.iter().take(ROWS_SHOWN) {
        let _ = writeln!(text, "- assuming {}", prose(&shorten(assumption, WIDTH)));
    }
    if report.assumptions.len() > ROWS_SHOWN {
        let hidden = report.assumptions.len() - ROWS_SHOWN;
        let _ = writeln!(text, "- {hidden} more assumptions");
    }
    text.push_str("\n</details>\n");
}

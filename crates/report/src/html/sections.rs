//! The parts of the page that are plain markup: summary, picture, filters,
//! tables.

use super::escape::escaped;
use super::spread_layout::spread_layout;
use super::spread_picture::spread_picture;
use crate::summary::{Summary, grouped};
use crate::{DiffReport, FunctionStatus, HunkAccount, SpreadKind, Verdict, count_by_kind};
use std::fmt::Write;

/// Rows of a table; more are counted.
const ROWS: usize = 400;
/// Places listed for one kind of caveat.
const CAVEAT_PLACES: usize = 20;

/// The sign that stands for a verdict beside its colour and name.
pub(super) fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Changed => "●",
        Verdict::Affected => "▲",
        Verdict::Possible => "◆",
        Verdict::Unaffected => "·",
    }
}

pub(super) fn summary(report: &DiffReport, summary: &Summary) -> String {
    let mut text = String::new();
    let sentences = report.answer();
    let (first, rest) = sentences
        .split_first()
        .map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let _ = write!(text, "<h1>{}</h1>", with_code(first));
    if !rest.is_empty() {
        let _ = write!(
            text,
            "<p class=\"reach\">{}</p>",
            with_code(&rest.join(" "))
        );
    }
    let all: usize = summary.lines.iter().sum();
    if all > 0 {
        text.push_str("<div class=\"bar\" aria-hidden=\"true\">");
        for verdict in Verdict::ALL {
            let count = summary.count(verdict);
            if count > 0 {
                let name = verdict.name();
                let _ = write!(
                    text,
                    "<i class=\"v-{name}\" style=\"flex-grow:{count}\"></i>"
                );
            }
        }
        text.push_str("</div>");
    }
    text.push_str("<dl class=\"facts\">");
    let mut fact = |name: &str, value: String| {
        let _ = write!(text, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    };
    fact("Output", report.output.sentence().to_owned());
    fact(
        "Functions reached",
        format!(
            "{} of {}",
            grouped(summary.reached_functions),
            grouped(summary.functions)
        ),
    );
    fact("Hunks", hunks_fact(summary));
    if !report.levels.is_empty() {
        let levels: Vec<String> = report
            .levels
            .iter()
            .map(|level| {
                let (name, count) = (escaped(&level.level), grouped(level.possible_lines));
                format!("<span class=\"level\">{name}&nbsp;<b>{count}</b></span>")
            })
            .collect();
        fact("Possible lines by level", levels.join(" → "));
    }
    if !report.configuration.is_empty() {
        fact("Build", escaped(&report.configuration));
    }
    text.push_str("</dl>");
    if !report.complete {
        text.push_str("<p class=\"alert\" role=\"note\"><b>Incomplete input.</b> A part could not be read; the <a href=\"#caveats\">caveats</a> say which. The rest was analysed.</p>");
    } else if summary.hunks_not_compiled > 0 {
        text.push_str("<p class=\"alert\" role=\"note\"><b>Not everything was compiled.</b> The <a href=\"#hunks\">hunks</a> that no verdict covers are listed below.</p>");
    }
    text
}

/// A sentence as markup; what stands between backticks is code.
fn with_code(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate();
    let parts = parts.map(|(number, part)| match number % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    parts.collect()
}

fn hunks_fact(summary: &Summary) -> String {
    match (summary.hunks, summary.hunks_not_compiled) {
        (0, _) => "none".to_owned(),
        (all, 0) => format!("all {all} accounted for"),
        (all, missing) => format!("{} of {all} accounted for", all - missing),
    }
}

pub(super) fn spread(report: &DiffReport) -> String {
    let layout = spread_layout(report);
    if layout.nodes.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<details class=\"spread\" id=\"spread\"><summary><h2>How the change spreads</h2></summary><div class=\"picture-tools\"><span class=\"legend\">",
    );
    for kind in SpreadKind::ALL {
        let class = match kind {
            SpreadKind::ReturnsTo => "returns",
            other => other.name(),
        };
        let _ = write!(
            text,
            "<span><svg class=\"sample\" width=\"26\" height=\"8\" aria-hidden=\"true\"><path class=\"link {class}\" d=\"M0 4H26\"/></svg> {}</span>",
            kind.name()
        );
    }
    text.push_str("</span><span class=\"buttons\"><button type=\"button\" data-zoom=\"out\" aria-label=\"Zoom out\">−</button><button type=\"button\" data-zoom=\"in\" aria-label=\"Zoom in\">+</button><button type=\"button\" data-zoom=\"fit\">Fit</button></span></div><div class=\"picture\" id=\"picture-frame\">");
    text.push_str(&spread_picture(report, &layout));
    text.push_str("</div>");
    if layout.folded > 0 {
        let _ = write!(
            text,
            "<p class=\"note\">{} more functions that the change reaches are not drawn: they rank below these. The file list has all.</p>",
            grouped(layout.folded)
        );
    }
    text.push_str("</details>");
    text
}

pub(super) fn verdict_filters(summary: &Summary) -> String {
    let mut text = String::new();
    for verdict in Verdict::ALL {
        let pressed = verdict != Verdict::Unaffected;
        let _ = write!(
            text,
            "<button type=\"button\" class=\"chip v-{name}\" data-verdict=\"{}\" aria-pressed=\"{pressed}\"><span aria-hidden=\"true\">{}</span> {name} <b>{}</b></button>",
            verdict.index(),
            sign(verdict),
            grouped(summary.count(verdict)),
            name = verdict.name(),
        );
    }
    text
}

pub(super) fn hunk_options(report: &DiffReport) -> String {
    let mut text = String::new();
    for hunk in &report.hunks {
        if hunk.account == HunkAccount::InTheDelta {
            let _ = write!(
                text,
                "<option value=\"{}\">{}: {}:{}</option>",
                hunk.number,
                hunk.number,
                escaped(&hunk.file),
                hunk.new_start
            );
        }
    }
    text
}

pub(super) fn tables(report: &DiffReport, left_out: &[String]) -> String {
    let mut text = String::new();
    write_hunks(&mut text, report);
    write_functions(&mut text, report);
    write_removed(&mut text, report);
    write_caveats(&mut text, report);
    write_list(&mut text, "assumptions", "Assumptions", &report.assumptions);
    write_list(&mut text, "left-out", "Left out of this page", left_out);
    text
}

fn open(text: &mut String, id: &str, heading: &str, count: usize) {
    let _ = write!(
        text,
        "<details class=\"table\" id=\"{id}\"><summary><h2>{heading}</h2> <span class=\"count\">{}</span></summary>",
        grouped(count)
    );
}

fn close_table(text: &mut String, rows: usize) {
    text.push_str("</tbody></table></div>");
    if rows > ROWS {
        let more = grouped(rows - ROWS);
        let _ = write!(
            text,
            "<p class=\"note\">{more} more: <code>knockon diff --format json</code> lists all.</p>"
        );
    }
    text.push_str("</details>");
}

/// A place that the script makes a way to the source.
fn place(file: &str, line: u32) -> String {
    let file = escaped(file);
    format!(
        "<a class=\"place\" href=\"#\" data-file=\"{file}\" data-line=\"{line}\">{file}:{line}</a>"
    )
}

fn write_hunks(text: &mut String, report: &DiffReport) {
    if report.hunks.is_empty() {
        return;
    }
    open(text, "hunks", "Hunks", report.hunks.len());
    text.push_str("<div class=\"scroll\"><table><thead><tr><th>#</th><th>Place</th><th>Lines</th><th>Account</th><th class=\"number\">Possible lines</th></tr></thead><tbody>");
    for hunk in report.hunks.iter().take(ROWS) {
        let class = match hunk.account {
            HunkAccount::NotCompiled => " class=\"attention\"",
            _ => "",
        };
        let message = match &*hunk.message {
            "" => String::new(),
            message => format!(": {}", escaped(message)),
        };
        let _ = write!(
            text,
            "<tr{class}><td>{}</td><td>{}</td><td>−{} +{}</td><td>{}{message}</td><td class=\"number\">{}</td></tr>",
            hunk.number,
            place(&hunk.file, hunk.new_start),
            hunk.old_lines,
            hunk.new_lines,
            hunk.account.name(),
            grouped(hunk.possible_lines)
        );
    }
    close_table(text, report.hunks.len());
}

/// The functions that are not as before, or that the change reaches.
fn write_functions(text: &mut String, report: &DiffReport) {
    let mut functions: Vec<_> = report
        .functions
        .iter()
        .filter(|row| row.status != FunctionStatus::Same || row.verdict != Verdict::Unaffected)
        .collect();
    functions.sort_by_key(|row| (row.verdict, row.status));
    if functions.is_empty() {
        return;
    }
    open(text, "functions", "Functions", functions.len());
    text.push_str("<div class=\"scroll\"><table><thead><tr><th>Function</th><th>File</th><th>Status</th><th>For callers</th><th>Verdict</th></tr></thead><tbody>");
    for row in functions.iter().take(ROWS) {
        let from = match &row.from {
            Some(from) => format!(" from <code>{}</code>", escaped(from)),
            None => String::new(),
        };
        let verdict = row.verdict.name();
        let _ = write!(
            text,
            "<tr><td><a class=\"place\" href=\"#\" data-file=\"{file}\" data-function=\"{name}\">{name}</a></td><td>{file}</td><td>{}{from}</td><td>{}</td><td class=\"v-{verdict}\"><span class=\"sign\" aria-hidden=\"true\">{}</span> {verdict}</td></tr>",
            row.status.name(),
            row.summary.name(),
            sign(row.verdict),
            file = escaped(&row.file),
            name = escaped(&row.name),
        );
    }
    close_table(text, functions.len());
}

fn write_removed(text: &mut String, report: &DiffReport) {
    if report.removed.is_empty() {
        return;
    }
    open(text, "removed", "Removed lines", report.removed.len());
    text.push_str("<div class=\"scroll\"><table><thead><tr><th>In the old version</th><th>Function</th></tr></thead><tbody>");
    for row in report.removed.iter().take(ROWS) {
        let _ = write!(
            text,
            "<tr><td><code>{}:{}</code></td><td>{}</td></tr>",
            escaped(&row.file),
            row.line,
            escaped(&row.function)
        );
    }
    close_table(text, report.removed.len());
}

fn write_caveats(text: &mut String, report: &DiffReport) {
    if report.caveats.is_empty() {
        return;
    }
    open(text, "caveats", "Caveats", report.caveats.len());
    text.push_str("<dl class=\"caveats\">");
    for (kind, count) in count_by_kind(&report.caveats) {
        let _ = write!(
            text,
            "<dt><code>{}</code> <span class=\"count\">{}</span></dt>",
            escaped(kind),
            grouped(count)
        );
        let of_kind = report.caveats.iter().filter(|caveat| caveat.kind == kind);
        for caveat in of_kind.take(CAVEAT_PLACES) {
            let place = match caveat.line {
                0 if caveat.file.is_empty() => String::new(),
                0 => format!("<code>{}</code> ", escaped(&caveat.file)),
                line => place(&caveat.file, line) + " ",
            };
            let _ = write!(text, "<dd>{place}{}</dd>", escaped(&caveat.message));
        }
        if count > CAVEAT_PLACES {
            let _ = write!(text, "<dd>… {} more</dd>", grouped(count - CAVEAT_PLACES));
        }
    }
    text.push_str("</dl><p class=\"note\"><code>knockon explain CAVEAT</code> says what each kind means.</p></details>");
}

fn write_list(text: &mut String, id: &str, heading: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    open(text, id, heading, items.len());
    text.push_str("<ul>");
    for item in items {
        let _ = write!(text, "<li>{}</li>", escaped(item));
    }
    text.push_str("</ul></details>");
}

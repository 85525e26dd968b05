//! The short text beside the structured answer.

use knockon_report::{
    AfterReport, DiffReport, EquivReport, Extent, Format, LineRow, RenderError, ReportedCaveat,
    SliceReport, Style, Verdict, WhyReport, count_by_kind,
};

/// Lines of the program that a text lists.
const MAX_LINES: usize = 20;

/// How wide a line of text may be.
const WIDTH: usize = 160;

fn style() -> Style {
    Style {
        colour: false,
        width: WIDTH,
        ..Style::default()
    }
}

pub fn diff_text(report: &DiffReport) -> String {
    let mut text = report.answer().join(" ");
    let reached = |row: &&LineRow| row.verdict != Verdict::Unaffected;
    let places = report.definitions.iter().map(|row| &row.place);
    let mut rows: Vec<&LineRow> = places.chain(&report.lines).filter(reached).collect();
    rows.sort_by(|one, two| {
        let order = one.verdict.cmp(&two.verdict);
        order.then(two.score.total_cmp(&one.score))
    });
    for row in rows.iter().take(MAX_LINES) {
        text.push_str(&format!("\n{}:{} {}", row.file, row.line, row.function));
        text.push_str(&format!(": {} {:.2}", row.verdict.name(), row.score));
        if let Some(step) = row.reasons.last() {
            text.push_str(&format!(", {}", step.description()));
        }
    }
    if rows.len() > MAX_LINES {
        text.push_str(&format!("\n… {} lines more", rows.len() - MAX_LINES));
    }
    text
}

pub fn why_text(report: &WhyReport) -> Result<String, RenderError> {
    let mut shown = report.clone();
    (shown.caveats, shown.assumptions) = (Vec::new(), Vec::new());
    shown.render(Format::Terminal, style())
}

pub fn slice_text(report: &SliceReport) -> Result<String, RenderError> {
    let mut shown = report.clone();
    (shown.caveats, shown.assumptions) = (Vec::new(), Vec::new());
    shown.lines = Vec::new();
    let mut text = shown.render(Format::Terminal, style(), Extent::Folded)?;
    let mut rows: Vec<_> = report.lines.iter().collect();
    rows.sort_by(|one, two| two.score.total_cmp(&one.score));
    for row in rows.iter().take(MAX_LINES) {
        let place = format!("{}:{} {}", row.file, row.line, row.function);
        text.push_str(&format!("{place}: {:.2}\n", row.score));
    }
    if rows.len() > MAX_LINES {
        text.push_str(&format!("… {} lines more\n", rows.len() - MAX_LINES));
    }
    Ok(text)
}

pub fn equiv_text(report: &EquivReport) -> Result<String, RenderError> {
    let mut shown = report.clone();
    (shown.caveats, shown.assumptions) = (Vec::new(), Vec::new());
    shown.render(Format::Terminal, style())
}

pub fn after_text(report: &AfterReport) -> Result<String, RenderError> {
    let mut shown = report.clone();
    shown.caveats = Vec::new();
    shown.render(Format::Terminal, style())
}

/// How many caveats there are of each kind; nothing if there are none.
pub fn caveat_sentence(caveats: &[ReportedCaveat]) -> Option<String> {
    let kinds = count_by_kind(caveats).into_iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{kind} ({count})"))
        .collect();
    (!kinds.is_empty()).then(|| format!("Caveats: {}.", kinds.join(", ")))
}

/// The text, or its beginning in whole lines, and what is missing.
pub fn text_within(text: &str, room: usize) -> String {
    let text = text.trim_end();
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    let mut lines = text.lines();
    let mut missing = 0;
    for line in lines.by_ref() {
        used += line.chars().count() + 1;
        if used + 80 > room {
            // A single line may be longer than all that there is room for.
            if kept.is_empty() {
                let end = room.saturating_sub(120);
                kept.extend(line.chars().take(end));
                kept.push_str("…\n");
            }
            missing = 1;
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    missing += lines.count();
    kept.push_str(&format!("… {missing} lines of text more"));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_says_how_much_is_missing() {
        let text = "a line\n".repeat(100);
        let short = text_within(&text, 200);
        assert!(short.chars().count() <= 200);
        let kept = short.matches("a line").count();
        assert!(short.contains(&format!("{} lines of text more", 100 - kept)));
        assert_eq!(text_within("one\n", 200), "one");
    }
}

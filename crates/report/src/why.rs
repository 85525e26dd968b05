//! `knockon why`: how the change comes to one line, or what keeps it away.

use crate::source_lines::{SourceLines, expand_tabs, shorten};
use crate::summary::counted;
use crate::{
    CutBy, Format, ReasonStep, RenderError, ReportedCaveat, SourceText, Style, Verdict,
    VersionName, caveat::limits, caveat::write_limits, dot::limits_label, dot::quoted,
    escape_control_characters, markdown, to_json_rows,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "knockon why --format json")]
pub struct WhyReport {
    #[schemars(extend("const" = "knockon.why/1"))]
    pub schema: &'static str,
    pub complete: bool,
    pub configuration: String,
    pub assumptions: Vec<String>,
    pub old: VersionName,
    pub new: VersionName,
    pub file: String,
    pub line: u32,
    pub function: String,
    pub verdict: Verdict,
    #[schemars(range(min = 0.0, max = 1.0))]
    pub score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<CutBy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<String>,
    /// From a source of the change to the line: `file:line: text`.
    pub reasons: Vec<ReasonStep>,
    /// Of an edited definition: the lines that read it and those that the change reaches from there,
    /// the nearest first, each with the last step to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leads_to: Vec<ReasonStep>,
    /// Of an edited definition: how many lines may behave differently because of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached_lines: Option<usize>,
    /// The numbers of the hunks that reach the line.
    pub hunks: Vec<u32>,
    pub caveats: Vec<ReportedCaveat>,
    /// The new version's text of the files on the way.
    #[serde(skip)]
    pub sources: Vec<SourceText>,
}

impl Default for WhyReport {
    fn default() -> WhyReport {
        WhyReport {
            schema: "knockon.why/1",
            complete: true,
            configuration: String::new(),
            assumptions: Vec::new(),
            old: VersionName::default(),
            new: VersionName::default(),
            file: String::new(),
            line: 0,
            function: String::new(),
            verdict: Verdict::default(),
            score: 0.0,
            cut_by: None,
            witness: None,
            reasons: Vec::new(),
            leads_to: Vec::new(),
            reached_lines: None,
            hunks: Vec::new(),
            caveats: Vec::new(),
            sources: Vec::new(),
        }
    }
}

/// Characters of a source line that are shown beside a hop.
const SOURCE_WIDTH: usize = 100;

impl WhyReport {
    pub fn render(&self, format: Format, style: Style) -> Result<String, RenderError> {
        match format {
            Format::Terminal => Ok(self.terminal(style)),
            Format::Json => Ok(to_json_rows(self)?),
            Format::Markdown => Ok(self.markdown()),
            Format::Dot => Ok(self.dot()),
            _ => Err(RenderError::NotOffered {
                command: "why",
                format: format.name(),
                offered: "terminal, json, markdown, dot",
            }),
        }
    }

    /// What is claimed, in one sentence.
    fn sentence(&self) -> String {
        if let Some(reached) = self.reached_lines {
            let lines = counted(reached, "line");
            return format!("changed: {lines} may behave differently because of it");
        }
        match (self.verdict, self.cut_by, &self.witness) {
            (Verdict::Changed, ..) => "changed: it is a source of the change".to_owned(),
            (Verdict::Affected, _, Some(witness)) => format!("affected: it differs on {witness}"),
            (Verdict::Affected, _, None) => "affected: it differs on a real run".to_owned(),
            (Verdict::Possible, ..) => {
                format!(
                    "possible, score {:.2}: the change may come here",
                    self.score
                )
            }
            (Verdict::Unaffected, Some(cut), _) => format!("unaffected: {}", cut.sentence()),
            (Verdict::Unaffected, None, _) => "unaffected".to_owned(),
        }
    }

    /// The way to the line, or from a definition.
    fn steps(&self) -> impl Iterator<Item = &ReasonStep> {
        self.reasons.iter().chain(&self.leads_to)
    }

    /// Lines that are reached and not listed.
    fn hidden(&self) -> Option<usize> {
        let hidden = self.reached_lines?.saturating_sub(self.leads_to.len());
        (hidden > 0).then_some(hidden)
    }

    fn place(&self) -> String {
        match &*self.function {
            "" => format!("{}:{}", self.file, self.line),
            function => format!("{}:{} in {function}", self.file, self.line),
        }
    }

    fn terminal(&self, style: Style) -> String {
        let mut text = String::new();
        let place = escape_control_characters(&self.place()).into_owned();
        let sentence = self.sentence();
        let _ = writeln!(
            text,
            "{}: {}",
            style.bold(&place),
            style.verdict(self.verdict, &escape_control_characters(&sentence))
        );
        let sources = SourceLines::of(&self.sources, |_| true);
        if self.reached_lines.is_some()
            && let Some(source) = sources.line(&self.file, self.line)
        {
            let source = expand_tabs(source.trim());
            let source = shorten(&escape_control_characters(&source), SOURCE_WIDTH);
            let _ = writeln!(text, "{}", style.dim(&format!("  │ {source}")));
        }
        let width = self
            .steps()
            .map(|step| step.place().chars().count())
            .max()
            .unwrap_or(0);
        for step in self.steps() {
            let place = step.place();
            let place = escape_control_characters(&place);
            let description = step.description();
            let _ = writeln!(
                text,
                "  {} {}",
                style.bold(&format!("{place:<width$}")),
                escape_control_characters(&description)
            );
            if let Some(source) = (!step.old)
                .then(|| sources.line(&step.file, step.line))
                .flatten()
            {
                let source = expand_tabs(source.trim());
                let source = shorten(&escape_control_characters(&source), SOURCE_WIDTH);
                let row = format!("  {:width$} │ {source}", "");
                let _ = writeln!(text, "{}", style.dim(&row));
            }
        }
        if let Some(hidden) = self.hidden() {
            let _ = writeln!(text, "  … {} more", counted(hidden, "line"));
        }
        if self.hunks.len() > 1 {
            let _ = writeln!(text, "  reached by hunks {}", numbers(&self.hunks));
        }
        write_limits(&mut text, style, &self.caveats, &self.assumptions);
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!(
            "**{}** {}\n",
            markdown::code(&self.place()),
            markdown::prose(&self.sentence())
        );
        for (number, step) in self.steps().enumerate() {
            let _ = write!(
                text,
                "\n{}. {} {}",
                number + 1,
                markdown::code(&step.place()),
                markdown::prose(&step.description())
            );
        }
        if self.steps().next().is_some() {
            text.push('\n');
        }
        if let Some(hidden) = self.hidden() {
            let _ = writeln!(text, "\n… {} more", counted(hidden, "line"));
        }
        let limits = limits(&self.caveats, &self.assumptions);
        for (number, line) in (limits.caveats.iter().chain(&limits.assumptions)).enumerate() {
            if number == 0 {
                text.push('\n');
            }
            let _ = writeln!(text, "- {}", markdown::prose(line));
        }
        text
    }

    fn dot(&self) -> String {
        let mut text = String::from("digraph why {\n  node [shape=box];\n");
        for (number, step) in self.reasons.iter().enumerate() {
            let style = if step.old { ", style=dashed" } else { "" };
            let label = quoted(&step.sentence());
            let _ = writeln!(text, "  s{number} [label={label}{style}];");
            if number > 0 {
                let _ = writeln!(text, "  s{} -> s{number};", number - 1);
            }
        }
        if !self.leads_to.is_empty() {
            let _ = writeln!(text, "  d [label={}];", quoted(&self.place()));
        }
        for (number, step) in self.leads_to.iter().enumerate() {
            let label = quoted(&step.sentence());
            let _ = writeln!(text, "  t{number} [label={label}];\n  d -> t{number};");
        }
        text.push_str(&limits_label(&self.caveats, &self.assumptions));
        text.push_str("}\n");
        text
    }
}

pub(crate) fn numbers(hunks: &[u32]) -> String {
    let numbers: Vec<String> = hunks.iter().map(u32::to_string).collect();
    numbers.join(", ")
}

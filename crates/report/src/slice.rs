//! `knockon slice`: what a line reaches, or what reaches it, in one version.

use crate::annotated_source::{Mark, write_annotated};
use crate::source_lines::SourceLines;
use crate::summary::counted;
use crate::{
    Extent, Format, ReasonStep, RenderError, ReportedCaveat, SourceText, Style, Verdict,
    count_by_kind, dot::quoted, escape_control_characters, markdown, to_json_rows,
};
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "knockon slice --format json")]
pub struct SliceReport {
    #[schemars(extend("const" = "knockon.slice/1"))]
    pub schema: &'static str,
    pub complete: bool,
    pub program: String,
    pub configuration: String,
    pub direction: SliceDirection,
    pub criterion: SliceCriterion,
    /// The run that a dynamic slice is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<SliceRun>,
    pub size: SliceSize,
    /// The lines of the slice, by file and line.
    pub lines: Vec<SliceLine>,
    /// The functions with lines in the slice.
    pub functions: Vec<SliceFunction>,
    pub assumptions: Vec<String>,
    pub caveats: Vec<ReportedCaveat>,
    #[serde(skip)]
    pub sources: Vec<SourceText>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SliceDirection {
    #[default]
    Forward,
    Backward,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SliceCriterion {
    pub file: Arc<str>,
    pub line: u32,
    /// The test whose run a dynamic slice is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// Which time that the run comes to the line; without it, every time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<u32>,
}

/// A run in the interpreter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SliceRun {
    /// `exit code 0`, or what else ended it.
    pub ending: String,
    /// Of all lines together.
    pub occurrences: SliceOccurrences,
}

/// How often control came to a line in a run, and how many of these times are in the slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SliceOccurrences {
    pub in_slice: u32,
    pub total: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SliceSize {
    pub lines: usize,
    pub functions: usize,
    pub program_lines: usize,
    pub program_functions: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SliceLine {
    pub file: Arc<str>,
    pub line: u32,
    pub function: Arc<str>,
    /// In a dynamic slice, the part of the line's occurrences that is in it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub score: f64,
    /// Of a dynamic slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<SliceOccurrences>,
    /// From the criterion to this line, or in a backward slice from this line to the criterion:
    /// `file:line: text`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SliceFunction {
    pub name: Arc<str>,
    pub file: Arc<str>,
    pub lines: usize,
}

impl SliceLine {
    fn label(&self) -> String {
        match self.occurrences {
            Some(SliceOccurrences { in_slice, total }) => format!("{in_slice}/{total}"),
            None => format!("{:.2}", self.score),
        }
    }
}

impl Default for SliceReport {
    fn default() -> SliceReport {
        SliceReport {
            schema: "knockon.slice/1",
            complete: true,
            program: String::new(),
            configuration: String::new(),
            direction: SliceDirection::default(),
            criterion: SliceCriterion::default(),
            run: None,
            size: SliceSize::default(),
            lines: Vec::new(),
            functions: Vec::new(),
            assumptions: Vec::new(),
            caveats: Vec::new(),
            sources: Vec::new(),
        }
    }
}

/// Lines shown before the rest is folded.
const LINES_SHOWN: usize = 60;
/// Lines that a Markdown table lists.
const TABLE_ROWS: usize = 200;

type FileLines<'a> = Vec<(&'a str, Vec<&'a SliceLine>)>;

impl SliceReport {
    pub fn render(
        &self,
        format: Format,
        style: Style,
        extent: Extent,
    ) -> Result<String, RenderError> {
        match format {
            Format::Terminal => Ok(self.terminal(style, extent)),
            Format::Json => Ok(to_json_rows(self)?),
            Format::Markdown => Ok(self.markdown()),
            Format::Dot => Ok(self.dot()),
            _ => Err(RenderError::NotOffered {
                command: "slice",
                format: format.name(),
                offered: "terminal, json, markdown, dot",
            }),
        }
    }

    fn sentence(&self) -> String {
        let verb = match (self.direction, &self.criterion.test) {
            (SliceDirection::Forward, None) => "may be influenced by",
            (SliceDirection::Backward, None) => "may influence",
            (SliceDirection::Forward, Some(_)) => "depended on",
            (SliceDirection::Backward, Some(_)) => "influenced",
        };
        let run = match (&self.criterion.test, self.criterion.occurrence) {
            (None, _) => String::new(),
            (Some(test), None) => format!(" in the run of {test}"),
            (Some(test), Some(number)) => format!(", occurrence {number}, in the run of {test}"),
        };
        format!(
            "{} of {} in {} of {} {verb} {}:{}{run}",
            self.size.lines,
            counted(self.size.program_lines, "line"),
            self.size.functions,
            counted(self.size.program_functions, "function"),
            self.criterion.file,
            self.criterion.line
        )
    }

    /// Best score first.
    fn ranked(&self) -> Vec<&SliceLine> {
        let mut lines: Vec<&SliceLine> = self.lines.iter().collect();
        lines.sort_by(|left, right| {
            (right.score.total_cmp(&left.score))
                .then_with(|| left.file.cmp(&right.file))
                .then_with(|| left.line.cmp(&right.line))
        });
        lines
    }

    /// The best `room` lines by file, the file with the best line first, in source order.
    fn best_by_file(&self, room: usize) -> FileLines<'_> {
        let mut files: FileLines = Vec::new();
        let mut file_of: FxHashMap<&str, usize> = FxHashMap::default();
        for line in self.ranked().into_iter().take(room) {
            let file = *file_of.entry(&line.file).or_insert_with(|| {
                files.push((&line.file, Vec::new()));
                files.len() - 1
            });
            files[file].1.push(line);
        }
        for (_, lines) in &mut files {
            lines.sort_by_key(|line| line.line);
        }
        files
    }

    fn terminal(&self, style: Style, extent: Extent) -> String {
        let mut text = String::new();
        let sentence = self.sentence();
        let _ = writeln!(
            text,
            "{}",
            style.bold(&escape_control_characters(&sentence))
        );
        if let Some(run) = &self.run {
            let message = format!(
                "{} of {}; the run ends with {}",
                run.occurrences.in_slice,
                counted(run.occurrences.total as usize, "occurrence"),
                run.ending
            );
            let _ = writeln!(text, "{}", escape_control_characters(&message));
        }
        let room = match extent {
            Extent::Folded | Extent::Files | Extent::Sentences => LINES_SHOWN,
            Extent::Full => usize::MAX,
        };
        let files = self.best_by_file(room);
        let shown: FxHashSet<&str> = files.iter().map(|(file, _)| *file).collect();
        let sources = SourceLines::of(&self.sources, |path| shown.contains(path));
        for (file, lines) in &files {
            let heading = escape_control_characters(file);
            let _ = writeln!(text, "\n{}", style.bold(&heading));
            let marks: Vec<Mark> = lines
                .iter()
                .map(|line| Mark {
                    line: line.line,
                    label: line.label(),
                    verdict: Verdict::Possible,
                    note: "".into(),
                })
                .collect();
            write_annotated(&mut text, style, &sources, file, &marks);
        }
        if self.lines.len() > room {
            let message = format!(
                "\n… {} more: --full shows them",
                counted(self.lines.len() - room, "line")
            );
            let _ = writeln!(text, "{}", style.dim(&message));
        }
        for (kind, count) in count_by_kind(&self.caveats) {
            let message = format!("caveat {kind} ({count})");
            let _ = writeln!(
                text,
                "{}",
                style.warning(&escape_control_characters(&message))
            );
        }
        for assumption in &self.assumptions {
            let message = format!("assuming {assumption}");
            let _ = writeln!(text, "{}", style.dim(&escape_control_characters(&message)));
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("{}\n", markdown::escaped(&self.sentence()));
        if !self.lines.is_empty() {
            let heading = match self.run {
                Some(_) => "occurrences",
                None => "score",
            };
            let _ = write!(text, "\n| {heading} | line | function |\n|--:|---|---|\n");
        }
        for line in self.ranked().into_iter().take(TABLE_ROWS) {
            let place = format!("{}:{}", line.file, line.line);
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                line.label(),
                markdown::code(&place),
                markdown::code(&line.function)
            );
        }
        if self.lines.len() > TABLE_ROWS {
            let hidden = counted(self.lines.len() - TABLE_ROWS, "line");
            let _ = writeln!(text, "\n{hidden} more: `--format json` lists all.");
        }
        text
    }

    /// The last hop of each line's chain as an edge between lines.
    fn dot(&self) -> String {
        let mut text = String::from("digraph slice {\n  node [shape=box];\n");
        for line in &self.lines {
            let place = format!("{}:{}", line.file, line.line);
            let _ = writeln!(text, "  {};", quoted(&place));
            let hop = match self.direction {
                SliceDirection::Forward => line.reasons.last_chunk::<2>(),
                SliceDirection::Backward => line.reasons.first_chunk::<2>(),
            };
            if let Some([from, to]) = hop {
                let _ = writeln!(
                    text,
                    "  {} -> {} [label={}];",
                    quoted(&from.place()),
                    quoted(&to.place()),
                    quoted(&to.text)
                );
            }
        }
        text.push_str("}\n");
        text
    }
}

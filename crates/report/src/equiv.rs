//! `knockon equiv`: which functions do the same in both versions, and an input where one does not.

use crate::caveat::{limits, write_limits};
use crate::summary::counted;
use crate::{
    Format, RenderError, ReportedCaveat, Style, Verdict, VersionName, escape_control_characters,
    markdown, to_json,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "knockon equiv --format json")]
pub struct EquivReport {
    #[schemars(extend("const" = "knockon.equiv/1"))]
    pub schema: &'static str,
    pub complete: bool,
    pub configuration: String,
    pub old: VersionName,
    pub new: VersionName,
    /// Of all functions together: different if one is, else unknown if one is.
    pub verdict: EquivVerdict,
    /// Of the first function that is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
    pub functions: Vec<EquivFunction>,
    /// What is no verdict and should be known all the same: one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What every `equivalent` rests on.
    pub assumptions: Vec<String>,
    pub caveats: Vec<ReportedCaveat>,
}

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EquivVerdict {
    /// The same on every input, under the assumptions.
    #[default]
    Equivalent,
    /// Not decided.
    Unknown,
    /// Not the same on an input that was run.
    Different,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EquivFunction {
    pub name: String,
    /// Its name in the old version, where that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_name: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    pub verdict: EquivVerdict,
    /// What backs the verdict, or what could not be shown and why: one sentence each.
    pub reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

/// An input on which the versions were run and did not do the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counterexample {
    /// The C file that repeats it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The call: the function with its arguments.
    pub call: String,
    /// Memory, and results of functions that are not part of the program, one row each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// What was seen of each version, one row each; rows that are the same in both are left out.
    pub old: Vec<String>,
    pub new: Vec<String>,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl EquivVerdict {
    pub fn name(self) -> &'static str {
        match self {
            EquivVerdict::Equivalent => "equivalent",
            EquivVerdict::Unknown => "unknown",
            EquivVerdict::Different => "different",
        }
    }

    fn coloured(self, style: Style) -> String {
        let like = match self {
            EquivVerdict::Equivalent => Verdict::Unaffected,
            EquivVerdict::Unknown => Verdict::Possible,
            EquivVerdict::Different => Verdict::Affected,
        };
        style.verdict(like, self.name())
    }
}

impl Default for EquivReport {
    fn default() -> EquivReport {
        EquivReport {
            schema: "knockon.equiv/1",
            complete: true,
            configuration: String::new(),
            old: VersionName::default(),
            new: VersionName::default(),
            verdict: EquivVerdict::default(),
            counterexample: None,
            functions: Vec::new(),
            notes: Vec::new(),
            assumptions: Vec::new(),
            caveats: Vec::new(),
        }
    }
}

impl EquivFunction {
    /// `file:line: name`, with as much as is known.
    fn title(&self) -> String {
        let name = match &self.old_name {
            Some(old) => format!("{} (was {old})", self.name),
            None => self.name.clone(),
        };
        match (self.file.as_str(), self.line) {
            ("", _) => name,
            (file, 0) => format!("{file}: {name}"),
            (file, line) => format!("{file}:{line}: {name}"),
        }
    }
}

impl Counterexample {
    /// One row each: what is given, and what the versions do with it.
    fn rows(&self) -> Vec<String> {
        let mut rows = vec![self.call.clone()];
        rows.extend(self.given.iter().map(|row| format!("  where {row}")));
        rows.extend(self.old.iter().map(|row| format!("  old: {row}")));
        rows.extend(self.new.iter().map(|row| format!("  new: {row}")));
        rows
    }
}

impl EquivReport {
    pub fn render(&self, format: Format, style: Style) -> Result<String, RenderError> {
        match format {
            Format::Terminal => Ok(self.terminal(style)),
            Format::Json => Ok(to_json(self)?),
            Format::Markdown => Ok(self.markdown()),
            _ => Err(RenderError::NotOffered {
                command: "equiv",
                format: format.name(),
                offered: "terminal, json, markdown",
            }),
        }
    }

    /// `3 functions: 2 equivalent, 1 unknown`.
    fn sentence(&self) -> String {
        let all = [
            EquivVerdict::Equivalent,
            EquivVerdict::Different,
            EquivVerdict::Unknown,
        ];
        let counts = all.into_iter().filter_map(|verdict| {
            let with = self.functions.iter().filter(|row| row.verdict == verdict);
            let count = with.count();
            (count > 0).then(|| format!("{count} {}", verdict.name()))
        });
        let counts: Vec<String> = counts.collect();
        match (counts.is_empty(), self.complete) {
            (true, true) => "no function changed".to_owned(),
            (true, false) => "no function was compared: not all could be read".to_owned(),
            (false, _) => format!(
                "{}: {}",
                counted(self.functions.len(), "function"),
                counts.join(", ")
            ),
        }
    }

    fn terminal(&self, style: Style) -> String {
        let mut text = String::new();
        let versions = format!("{} → {}", self.old.name, self.new.name);
        let _ = writeln!(text, "{}", escape_control_characters(&versions));
        let _ = writeln!(text, "{}", style.bold(&self.sentence()));
        for function in &self.functions {
            let title = function.title();
            let _ = writeln!(
                text,
                "\n{}: {}",
                style.bold(&escape_control_characters(&title)),
                function.verdict.coloured(style)
            );
            for reason in &function.reasons {
                let _ = writeln!(text, "  {}", escape_control_characters(reason));
            }
            let Some(counterexample) = &function.counterexample else {
                continue;
            };
            for row in counterexample.rows() {
                let _ = writeln!(text, "  {}", escape_control_characters(&row));
            }
            if let Some(file) = &counterexample.file {
                let message = format!("{file} repeats it: compile it as its first lines say");
                let _ = writeln!(text, "  {}", escape_control_characters(&message));
            }
        }
        let is_bare = self.notes.is_empty() && self.caveats.is_empty();
        if !is_bare || !self.assumptions.is_empty() {
            text.push('\n');
        }
        for row in &self.notes {
            let _ = writeln!(text, "{}", escape_control_characters(row));
        }
        write_limits(&mut text, style, &self.caveats, &self.assumptions);
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("{}\n", markdown::escaped(&self.sentence()));
        if !self.functions.is_empty() {
            text.push_str("\n| verdict | function | why |\n|---|---|---|\n");
        }
        for function in &self.functions {
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                function.verdict.name(),
                markdown::code(&function.title()),
                markdown::escaped(&function.reasons.join("; "))
            );
        }
        for function in &self.functions {
            let Some(counterexample) = &function.counterexample else {
                continue;
            };
            let _ = writeln!(text, "\n{}:\n", markdown::code(&function.name));
            for row in counterexample.rows() {
                let _ = writeln!(text, "- {}", markdown::code(row.trim_start()));
            }
        }
        let limits = limits(&self.caveats, &self.assumptions);
        let rows = self.notes.iter().chain(&limits.caveats);
        let mut rows = rows.chain(&limits.assumptions).peekable();
        if rows.peek().is_some() {
            text.push('\n');
        }
        for row in rows {
            let _ = writeln!(text, "- {}", markdown::escaped(row));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> EquivReport {
        let counterexample = Counterexample {
            file: Some("counterexample.c".to_owned()),
            call: "scale(3)".to_owned(),
            given: vec!["limit = 7".to_owned()],
            old: vec!["returns 6".to_owned()],
            new: vec!["returns 9".to_owned()],
        };
        EquivReport {
            verdict: EquivVerdict::Different,
            functions: vec![
                EquivFunction {
                    name: "scale".to_owned(),
                    file: "a.c".to_owned(),
                    line: 3,
                    verdict: EquivVerdict::Different,
                    counterexample: Some(counterexample),
                    ..EquivFunction::default()
                },
                EquivFunction {
                    name: "after".to_owned(),
                    old_name: Some("before".to_owned()),
                    reasons: vec!["it is the same code".to_owned()],
                    ..EquivFunction::default()
                },
            ],
            assumptions: vec!["loops end".to_owned()],
            ..EquivReport::default()
        }
    }

    #[test]
    fn each_function_is_a_paragraph_with_its_counterexample() {
        let text = report().render(Format::Terminal, Style::default()).unwrap();
        assert_eq!(
            text,
            " → \n2 functions: 1 equivalent, 1 different\n\n\
             a.c:3: scale: different\n  scale(3)\n    where limit = 7\n    old: returns 6\n    \
             new: returns 9\n  counterexample.c repeats it: compile it as its first lines say\n\n\
             after (was before): equivalent\n  it is the same code\n\n1 assumption (--assumptions)\n"
        );
    }

    #[test]
    fn other_formats_are_refused_with_those_there_are() {
        let error = report().render(Format::Sarif, Style::default());
        assert_eq!(
            error.unwrap_err().to_string(),
            "equiv has no format sarif; use one of: terminal, json, markdown"
        );
    }
}

//! `knockon after` and `knockon before`: which functions may execute after (or
//! before) which.

use crate::{
    Format, RenderError, ReportedCaveat, Style, count_by_kind, escape_control_characters, to_json,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "knockon after --format json")]
pub struct AfterReport {
    #[schemars(extend("const" = "knockon.after/1"))]
    pub schema: &'static str,
    pub complete: bool,
    pub program: String,
    pub configuration: String,
    pub direction: Relation,
    /// For each function asked about: the functions related to it.
    pub relation: BTreeMap<String, Vec<String>>,
    /// For each function asked about and each related to it one example, if reasons were asked
    /// for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<BTreeMap<String, BTreeMap<String, Why>>>,
    pub caveats: Vec<ReportedCaveat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    After,
    Before,
}

/// One example of a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Why {
    /// `calls`, `returns into`, `follows`, …
    pub kind: &'static str,
    /// From the function asked about to this one.
    pub path: Vec<PathStep>,
}

/// A function on the way, and how it is related with the one before it, which at first is the
/// function asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathStep {
    pub link: PathLink,
    pub function: String,
    /// Where the call stands; empty where the call is not in the program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathLink {
    /// The one before calls this one.
    Calls,
    /// The one before is called by this one.
    CalledBy,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl Why {
    /// `f ← main (a.c:4) → g (a.c:5)`: each arrow goes from caller to callee.
    fn sentence(&self, function: &str) -> String {
        let mut text = format!("{}: {}", self.kind, escape_control_characters(function));
        for step in &self.path {
            let arrow = match step.link {
                PathLink::Calls => '→',
                PathLink::CalledBy => '←',
            };
            let _ = write!(
                text,
                " {arrow} {}",
                escape_control_characters(&step.function)
            );
            if step.line != 0 {
                let file = escape_control_characters(&step.file);
                let _ = write!(text, " ({file}:{})", step.line);
            }
        }
        text
    }
}

impl AfterReport {
    pub fn render(&self, format: Format, style: Style) -> Result<String, RenderError> {
        match format {
            Format::Terminal => Ok(self.terminal(style)),
            Format::Json => Ok(to_json(self)?),
            Format::Dot => Ok(self.dot()),
            _ => Err(RenderError::NotOffered {
                command: "after",
                format: format.name(),
                offered: "terminal, json, dot",
            }),
        }
    }

    fn why(&self, function: &str, member: &str) -> Option<&Why> {
        self.why.as_ref()?.get(function)?.get(member)
    }

    fn terminal(&self, style: Style) -> String {
        let mut text = String::new();
        let verb = match self.direction {
            Relation::After => "may execute after",
            Relation::Before => "may execute before",
        };
        for (function, members) in &self.relation {
            let count = members.len();
            let noun = if count == 1 { "function" } else { "functions" };
            let shown = escape_control_characters(function);
            let _ = writeln!(text, "{count} {noun} {verb} {}", style.bold(&shown));
            for member in members {
                let name = escape_control_characters(member);
                match self.why(function, member) {
                    None => {
                        let _ = writeln!(text, "  {name}");
                    }
                    Some(why) => {
                        let sentence = why.sentence(function);
                        let _ = writeln!(text, "  {name:<24} {}", style.dim(&sentence));
                    }
                }
            }
        }
        for (kind, count) in count_by_kind(&self.caveats) {
            let example = self
                .caveats
                .iter()
                .find(|caveat| caveat.kind == kind)
                .map_or("", |caveat| caveat.message.as_str());
            let message = format!("caveat {kind} ({count}): {example}");
            let _ = writeln!(
                text,
                "{}",
                style.warning(&escape_control_characters(&message))
            );
        }
        text
    }

    fn dot(&self) -> String {
        let quote = |name: &str| {
            format!(
                "\"{}\"",
                escape_control_characters(name)
                    .replace('\\', "\\\\")
                    .replace('"', "\\\"")
            )
        };
        let mut text = String::from("digraph relation {\n  node [shape=box];\n");
        for (function, members) in &self.relation {
            let _ = writeln!(text, "  {};", quote(function));
            for member in members {
                let label = match self.why(function, member) {
                    None => String::new(),
                    Some(why) => format!(" [label={}]", quote(why.kind)),
                };
                let _ = writeln!(text, "  {} -> {}{label};", quote(function), quote(member));
            }
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(why: Option<Why>) -> AfterReport {
        AfterReport {
            schema: "knockon.after/1",
            complete: true,
            program: "p".to_owned(),
            configuration: "a.c".to_owned(),
            direction: Relation::After,
            relation: BTreeMap::from([("f".to_owned(), vec!["g".to_owned()])]),
            why: why.map(|why| {
                BTreeMap::from([("f".to_owned(), BTreeMap::from([("g".to_owned(), why)]))])
            }),
            caveats: vec![ReportedCaveat {
                kind: "indirect-call".to_owned(),
                file: "a.c".to_owned(),
                line: 3,
                message: "in f".to_owned(),
            }],
        }
    }

    fn follows() -> Why {
        let step = |link, function: &str, line| PathStep {
            link,
            function: function.to_owned(),
            file: "a.c".to_owned(),
            line,
        };
        Why {
            kind: "follows",
            path: vec![
                step(PathLink::CalledBy, "main", 4),
                step(PathLink::Calls, "g", 5),
            ],
        }
    }

    fn parsed(report: &AfterReport) -> serde_json::Value {
        serde_json::from_str(&to_json(report).unwrap()).unwrap()
    }

    #[test]
    fn members_are_bare_names_in_json_and_reasons_stand_beside_them() {
        let plain = parsed(&report(None));
        assert_eq!(plain["relation"]["f"], serde_json::json!(["g"]));
        assert!(plain.get("why").is_none());
        let reasoned = parsed(&report(Some(follows())));
        assert_eq!(reasoned["relation"], plain["relation"]);
        assert_eq!(reasoned["why"]["f"]["g"]["kind"], "follows");
        let last = serde_json::json!({"link": "calls", "function": "g", "file": "a.c", "line": 5});
        assert_eq!(reasoned["why"]["f"]["g"]["path"][1], last);
    }

    #[test]
    fn an_example_path_names_the_calls() {
        let text = report(Some(follows()))
            .render(Format::Terminal, Style::default())
            .unwrap();
        assert!(
            text.contains("follows: f ← main (a.c:4) → g (a.c:5)\n"),
            "{text}"
        );
    }

    #[test]
    fn the_terminal_view_names_each_kind_of_caveat_once_with_its_count() {
        let text = report(None)
            .render(Format::Terminal, Style::default())
            .unwrap();
        assert_eq!(
            text,
            "1 function may execute after f\n  g\ncaveat indirect-call (1): in f\n"
        );
    }

    #[test]
    fn dot_quotes_names() {
        let mut report = report(None);
        report.relation.insert("a\"b".to_owned(), Vec::new());
        assert!(report.dot().contains("\"a\\\"b\";"));
    }
}

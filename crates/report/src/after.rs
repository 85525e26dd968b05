//! `knockon after` and `knockon before`: which functions may execute after (or
//! before) which.

use crate::{Format, ReportedCaveat, Style, count_by_kind, escape_control_characters, to_json};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Clone, Debug, Serialize)]
pub struct AfterReport {
    pub schema: &'static str,
    pub complete: bool,
    pub program: String,
    pub configuration: String,
    pub direction: Relation,
    /// For each function asked about: the functions related to it.
    pub relation: BTreeMap<String, Vec<After>>,
    pub caveats: Vec<ReportedCaveat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    After,
    Before,
}

/// One member of a set. In JSON it is the bare name unless reasons were asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct After {
    pub function: String,
    pub why: Option<Why>,
}

/// One example of a reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Why {
    /// `calls`, `returns into` or `follows`.
    pub kind: &'static str,
    /// The functions from the one asked about to this one.
    pub path: Vec<String>,
}

impl Serialize for After {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WithReason<'a> {
            function: &'a str,
            kind: &'a str,
            path: &'a [String],
        }
        match &self.why {
            None => serializer.serialize_str(&self.function),
            Some(why) => WithReason {
                function: &self.function,
                kind: why.kind,
                path: &why.path,
            }
            .serialize(serializer),
        }
    }
}

impl AfterReport {
    pub fn render(&self, format: Format, style: Style) -> Result<String, serde_json::Error> {
        match format {
            Format::Terminal => Ok(self.terminal(style)),
            Format::Json => to_json(self),
            Format::Dot => Ok(self.dot()),
        }
    }

    fn terminal(&self, style: Style) -> String {
        let mut text = String::new();
        let verb = match self.direction {
            Relation::After => "may execute after",
            Relation::Before => "may execute before",
        };
        for (function, members) in &self.relation {
            let function = escape_control_characters(function);
            let count = members.len();
            let noun = if count == 1 { "function" } else { "functions" };
            let _ = writeln!(text, "{} {noun} {verb} {}", count, style.bold(&function));
            for member in members {
                let name = escape_control_characters(&member.function);
                match &member.why {
                    None => {
                        let _ = writeln!(text, "  {name}");
                    }
                    Some(why) => {
                        let path: Vec<_> = why
                            .path
                            .iter()
                            .map(|step| escape_control_characters(step))
                            .collect();
                        let reason = format!("{}: {}", why.kind, path.join(" → "));
                        let _ = writeln!(text, "  {name:<24} {}", style.dim(&reason));
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
                let _ = writeln!(
                    text,
                    "  {} -> {};",
                    quote(function),
                    quote(&member.function)
                );
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
            relation: BTreeMap::from([(
                "f".to_owned(),
                vec![After {
                    function: "g".to_owned(),
                    why,
                }],
            )]),
            caveats: vec![ReportedCaveat {
                kind: "indirect-call".to_owned(),
                file: "a.c".to_owned(),
                line: 3,
                message: "in f".to_owned(),
            }],
        }
    }

    #[test]
    fn members_are_bare_names_in_json_unless_reasons_were_asked_for() {
        let plain: serde_json::Value =
            serde_json::from_str(&to_json(&report(None)).unwrap()).unwrap();
        assert_eq!(plain["relation"]["f"], serde_json::json!(["g"]));
        let why = Why {
            kind: "calls",
            path: vec!["f".to_owned(), "g".to_owned()],
        };
        let reasoned: serde_json::Value =
            serde_json::from_str(&to_json(&report(Some(why))).unwrap()).unwrap();
        assert_eq!(reasoned["relation"]["f"][0]["kind"], "calls");
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

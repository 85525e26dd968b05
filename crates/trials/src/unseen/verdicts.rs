//! What is said of a pair, held to what both versions print.

use super::Law;
use super::pair::{Kind, Pair};
use super::trees::{Examined, Said};
use crate::soak::laws::Findings;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is counted of a pair, for the table.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub pairs: usize,
    pub differing_pairs: usize,
    pub refused: usize,
    pub differing_lines: usize,
    /// Lines that print the same in both versions, and those of them called unaffected.
    pub same_lines: usize,
    pub unaffected_lines: usize,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.pairs += other.pairs;
        self.differing_pairs += other.differing_pairs;
        self.refused += other.refused;
        self.differing_lines += other.differing_lines;
        self.same_lines += other.same_lines;
        self.unaffected_lines += other.unaffected_lines;
    }
}

/// What came of holding a pair to the laws.
#[derive(Clone, Debug)]
pub struct Judged {
    pub findings: Findings<Law>,
    pub counts: Counts,
    /// The words that differ.
    pub differing: BTreeSet<String>,
    pub refusal: Option<String>,
}

/// What is printed behind each word, in order.
fn by_word(output: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut words: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in output.lines() {
        if let Some((word, values)) = line.split_once(' ') {
            words.entry(word).or_default().push(values);
        }
    }
    words
}

fn differing_words(old: &str, new: &str) -> BTreeSet<String> {
    let (old, new) = (by_word(old), by_word(new));
    let words: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let differs = |word: &&&str| old.get(**word) != new.get(**word);
    let differing = words.iter().filter(differs);
    differing.map(|word| (*word).to_owned()).collect()
}

pub fn judge(pair: &Pair, examined: &Examined) -> Judged {
    let differing = differing_words(&examined.old, &examined.new);
    let differs = examined.old != examined.new;
    let mut judged = Judged {
        findings: Findings::default(),
        counts: Counts {
            pairs: 1,
            differing_pairs: usize::from(differs),
            ..Counts::default()
        },
        differing,
        refusal: None,
    };
    judged.findings.count(Law::Ends, 1);
    match &examined.report {
        Said::Report(report) => judge_report(pair, examined, report, &mut judged),
        Said::Refused(why) => {
            judged.counts.refused = 1;
            let line = why.lines().next().unwrap_or_default();
            judged.refusal = Some(line.to_owned());
        }
        Said::Broke(how) => {
            let place = "the command".to_owned();
            judged.findings.violated(Law::Ends, place, how.clone());
        }
    }
    judged
}

fn judge_report(pair: &Pair, examined: &Examined, report: &Value, judged: &mut Judged) {
    let mut verdicts: BTreeMap<(String, u64), Vec<String>> = BTreeMap::new();
    for row in report["lines"].as_array().into_iter().flatten() {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let place = (text("file"), row["line"].as_u64().unwrap_or_default());
        verdicts.entry(place).or_default().push(text("verdict"));
    }
    let printed = by_word(&examined.new);
    let findings = &mut judged.findings;
    for (word, (file, line)) in pair.words() {
        let is_compiled = file.ends_with(".c") && examined.sources.contains(&file);
        if !is_compiled {
            continue;
        }
        let place = format!("{file}:{line}");
        let said = verdicts.get(&(file.clone(), u64::from(line)));
        let is_unaffected =
            said.is_some_and(|said| said.iter().any(|verdict| verdict == "unaffected"));
        if judged.differing.contains(&word) {
            judged.counts.differing_lines += 1;
            findings.count(Law::Lines, 1);
            findings.count(Law::Listed, 1);
            if is_unaffected {
                let message = format!("{word} differs");
                findings.violated(Law::Lines, place, message);
            } else if said.is_none()
                && printed.contains_key(word.as_str())
                && !is_named(&file, report)
            {
                let message = format!("{word} differs, and nothing is said of it");
                findings.violated(Law::Listed, place, message);
            }
        } else if printed.contains_key(word.as_str()) {
            judged.counts.same_lines += 1;
            judged.counts.unaffected_lines += usize::from(is_unaffected);
        }
    }
    if report["output"] == "equal" {
        findings.count(Law::Output, 1);
        if examined.old != examined.new {
            let message = "differs, and is called equal".to_owned();
            findings.violated(Law::Output, "output".to_owned(), message);
        }
    }
    if pair.kinds.iter().copied().all(Kind::is_without_effect) {
        findings.count(Law::NoChange, 1);
        for ((file, line), said) in verdicts {
            if said.iter().any(|verdict| verdict != "unaffected") {
                let message = format!("is {said:?}");
                findings.violated(Law::NoChange, format!("{file}:{line}"), message);
            }
        }
    }
}

/// Some caveat says that the unit was not read.
fn is_named(file: &str, report: &Value) -> bool {
    let mut caveats = report["caveats"].as_array().into_iter().flatten();
    caveats.any(|row| {
        let is_failure = row["kind"] == "failed-unit" || row["kind"] == "not-compiled";
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        is_failure && (text("file") == file || text("message").contains(file))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unseen::pair::Line;
    use serde_json::json;

    fn examined(report: Said) -> Examined {
        Examined {
            old: "w1 1\nw2 5\nw1 2\n".to_owned(),
            new: "w1 1\nw2 5\nw1 3\n".to_owned(),
            report,
            sources: vec!["main.c".to_owned()],
        }
    }

    fn pair() -> Pair {
        let lines = ["printf(\"w1 %u\\n\", x);", "printf(\"w2 %u\\n\", x);"];
        Pair {
            prepare: Vec::new(),
            files: [("main.c".to_owned(), lines.map(Line::same).into())].into(),
            kinds: [Kind::Unit].into(),
        }
    }

    fn broken(report: Said) -> Vec<Law> {
        let violations = judge(&pair(), &examined(report)).findings.violations;
        violations.iter().map(|one| one.law).collect()
    }

    fn line(number: u32, verdict: &str) -> Value {
        json!({"file": "main.c", "line": number, "verdict": verdict})
    }

    #[test]
    fn what_differs_is_neither_unaffected_nor_left_out() {
        let lines = |verdict| vec![line(1, verdict), line(2, "unaffected")];
        let report =
            |lines: Vec<Value>| Said::Report(json!({"lines": lines, "output": "possible"}));
        assert_eq!(broken(report(lines("possible"))), []);
        assert_eq!(broken(report(lines("unaffected"))), [Law::Lines]);
        assert_eq!(broken(report(Vec::new())), [Law::Listed]);
        let equal = json!({"lines": lines("possible"), "output": "equal"});
        assert_eq!(broken(Said::Report(equal)), [Law::Output]);
    }

    #[test]
    fn a_refusal_is_counted_and_a_panic_breaks_a_law() {
        let judged = judge(&pair(), &examined(Said::Refused("no".to_owned())));
        assert_eq!(judged.counts.refused, 1);
        assert!(judged.findings.violations.is_empty());
        assert_eq!(broken(Said::Broke("panicked".to_owned())), [Law::Ends]);
    }

    #[test]
    fn where_only_documentation_changed_nothing_is_reported() {
        let mut pair = pair();
        pair.kinds = [Kind::Documentation].into();
        let mut examined = examined(Said::Report(json!({"lines": [line(2, "possible")]})));
        examined.new = examined.old.clone();
        let judged = judge(&pair, &examined);
        assert!(judged.findings.breaks(Law::NoChange));
        assert_eq!(judged.counts.same_lines, 2);
    }
}

//! Why proofs did not take away what they might have: from what `knockon diff` says of each function
//! that changed.

use crate::corpus::diff::report_rows::rows;
use serde_json::Value;
use std::collections::BTreeMap;

/// What became of the functions that changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionCounts {
    /// In both versions, with another text.
    pub changed: usize,
    /// Of these, shown to do the same.
    pub equivalent: usize,
    /// Functions that changed and were not shown to do the same, by cause.
    pub causes: BTreeMap<String, usize>,
}

pub fn function_counts(report: &Value) -> FunctionCounts {
    let mut counts = FunctionCounts::default();
    for row in rows(report, "functions") {
        let cause = match row["status"].as_str() {
            Some("same" | "moved") => continue,
            Some("added" | "removed") => Some("the function is in one version only".to_owned()),
            _ => {
                counts.changed += 1;
                let is_equivalent = row["summary"] == "equivalent";
                counts.equivalent += usize::from(is_equivalent);
                (!is_equivalent).then(|| cause(row["undecided"].as_str()))
            }
        };
        if let Some(cause) = cause {
            *counts.causes.entry(cause).or_default() += 1;
        }
    }
    counts
}

/// A reason without what is particular to one function.
fn cause(undecided: Option<&str>) -> String {
    let Some(reason) = undecided else {
        return "nothing is known of the function".to_owned();
    };
    if let Some(construct) = reason.strip_suffix(" has no meaning for proofs") {
        return format!("not comparable: {construct}");
    }
    let cause = match reason.rsplit_once("; ") {
        _ if reason.contains("the time was up") => "budget",
        _ if reason.contains("too large") => "not comparable: too large",
        Some((_, said)) if said.contains("tell them apart") => {
            "a solver has values that tell them apart"
        }
        Some((_, said)) if said.contains("no solver answered") => "not proved: no answer in time",
        _ => "not proved: too many questions",
    };
    cause.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn functions_that_changed_are_counted_by_what_became_of_them() {
        let row = |status: &str, summary: &str, undecided: Option<&str>| json!({"status": status, "summary": summary, "undecided": undecided});
        let report = json!({"functions": [
            row("same", "unknown", Some("not compared, since the time was up")),
            row("changed", "equivalent", None),
            row("changed", "unknown", Some("va_arg has no meaning for proofs")),
            row("changed", "unknown", Some("not shown: x; a solver has values that tell them apart")),
            row("added", "unknown", None),
        ]});
        let counts = function_counts(&report);
        assert_eq!((counts.changed, counts.equivalent), (3, 1));
        let causes: Vec<&str> = counts.causes.keys().map(String::as_str).collect();
        let wanted = [
            "a solver has values that tell them apart",
            "not comparable: va_arg",
            "the function is in one version only",
        ];
        assert_eq!(causes, wanted);
    }
}

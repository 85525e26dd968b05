//! What the commands say of a pair, held against its marks.

use super::trees::Trees;
use super::{Mark, MarkedLine, Pair};
use serde_json::Value;

/// What a format says of a line: its verdicts, one for each row.
type Verdicts<'a> = Box<dyn Fn(&MarkedLine) -> Vec<String> + 'a>;

/// A JSON report of a command on one range, or why there is none.
fn report(
    trees: &Trees,
    pair: &Pair,
    range: &[&str],
    command: &[&str],
    format: &str,
) -> Result<String, String> {
    let extra: Vec<&str> = pair.arguments.iter().map(String::as_str).collect();
    let arguments = [command, range, &extra, &["--format", format]].concat();
    let output = trees
        .knockon(&arguments)
        .output()
        .map_err(|error| error.to_string())?;
    if output.stdout.is_empty() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{arguments:?}: no report: {text}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn rows<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn json_verdicts(report: &Value) -> Verdicts<'_> {
    Box::new(|line| {
        rows(report, "lines")
            .filter(|row| row["file"] == line.file.as_str() && row["line"] == line.line)
            .map(|row| text(&row["verdict"]))
            .collect()
    })
}

/// For formats that leave lines out.
fn or_unaffected(found: Vec<String>) -> Vec<String> {
    if found.is_empty() {
        return vec!["unaffected".to_string()];
    }
    found
}

/// SARIF lists only what is not unaffected.
fn sarif_verdicts(report: &Value) -> Verdicts<'_> {
    Box::new(|line| {
        let at = |row: &&Value| {
            let place = &row["locations"][0]["physicalLocation"];
            place["artifactLocation"]["uri"] == line.file.as_str()
                && place["region"]["startLine"] == line.line
        };
        let found: Vec<String> = rows(&report["runs"][0], "results")
            .filter(at)
            .map(|row| text(&row["ruleId"]).replace("knockon/", ""))
            .filter(|rule| !rule.starts_with("caveat/"))
            .collect();
        or_unaffected(found)
    })
}

/// The data that the page embeds: for each file rows of a line, a function and a verdict's number.
/// Files and lines of functions that nothing reaches are left out.
fn html_verdicts(page: &Value) -> Verdicts<'_> {
    Box::new(|line| {
        let names = ["changed", "affected", "possible", "unaffected"];
        let lines = |file: &Value| -> Vec<String> {
            rows(file, "lines")
                .filter(|row| row[0] == line.line)
                .map(|row| names[row[2].as_u64().expect("a verdict") as usize].to_string())
                .collect()
        };
        let found: Vec<String> = rows(page, "files")
            .filter(|file| file["path"] == line.file.as_str())
            .flat_map(lines)
            .collect();
        or_unaffected(found)
    })
}

fn embedded(page: &str) -> Value {
    let data = page
        .split_once("id=\"report\">")
        .and_then(|(_, rest)| rest.split_once("</script>"));
    json(data.expect("embedded data").0)
}

/// What a format says and must not, or does not say and must.
fn complaints(pair: &Pair, format: &str, verdicts: &Verdicts) -> Vec<String> {
    let mut complaints = Vec::new();
    for line in &pair.marks {
        let found = verdicts(line);
        let unaffected = found.iter().any(|verdict| verdict == "unaffected");
        let fine = match line.mark {
            Mark::Differs => (pair.may_stop || !found.is_empty()) && !unaffected,
            Mark::Same => found == ["unaffected"],
        };
        if !fine {
            let (file, number, mark) = (&line.file, line.line, line.mark);
            complaints.push(format!("{format}: {file}:{number} {mark:?}: {found:?}"));
        }
    }
    complaints
}

/// Everything that the commands say wrongly of a pair.
pub fn wrong(trees: &Trees, pair: &Pair) -> Vec<String> {
    let mut wrong = Vec::new();
    for range in &trees.ranges {
        match report(trees, pair, range, &["diff"], "json") {
            Err(_) if pair.may_stop => continue,
            Err(error) => {
                wrong.push(error);
                continue;
            }
            Ok(text) => wrong.extend(wrong_reports(trees, pair, range, &json(&text))),
        }
    }
    wrong
}

fn wrong_reports(trees: &Trees, pair: &Pair, range: &[&str], diff: &Value) -> Vec<String> {
    let verdicts = json_verdicts(diff);
    let mut wrong = complaints(pair, "json", &verdicts);
    // The other formats do not tell a line of which nothing is said from an unaffected one.
    let mut spoken = pair.clone();
    spoken.marks.retain(|line| !verdicts(line).is_empty());
    if pair.differing().next().is_some() && diff["output"] == "equal" {
        wrong.push("the output is called equal".to_string());
    }
    let read = |command: &[&str], format: &str| report(trees, pair, range, command, format);
    match read(&["diff"], "sarif") {
        Ok(text) => wrong.extend(complaints(&spoken, "sarif", &sarif_verdicts(&json(&text)))),
        Err(error) => wrong.push(error),
    }
    match read(&["diff"], "html") {
        Ok(text) => wrong.extend(complaints(
            &spoken,
            "html",
            &html_verdicts(&embedded(&text)),
        )),
        Err(error) => wrong.push(error),
    }
    for line in &pair.marks {
        let place = format!("{}:{}", line.file, line.line);
        match read(&["why", &place], "json") {
            Ok(report) => {
                let verdict = text(&json(&report)["verdict"]);
                let verdicts: Verdicts = Box::new(move |_| vec![verdict.clone()]);
                let one = Pair {
                    marks: vec![line.clone()],
                    ..pair.clone()
                };
                wrong.extend(complaints(&one, "why", &verdicts));
            }
            Err(_) if pair.may_stop => {}
            Err(error) => wrong.push(error),
        }
    }
    for function in &pair.different_functions {
        match read(&["equiv", "-f", function], "json") {
            Ok(report) if json(&report)["verdict"] == "equivalent" => {
                wrong.push(format!("equiv: {function} is called equivalent"));
            }
            Ok(_) => {}
            Err(error) => wrong.push(error),
        }
    }
    wrong
}

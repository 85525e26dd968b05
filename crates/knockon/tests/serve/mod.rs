//! `knockon serve`: the protocol as a client speaks it, message by message.

mod client;
mod real_client;

use super::{directory_with, knockon, repository_with};
use client::Client;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const LIMITS: &str = "
int limit(int wanted) { return wanted > 10 ? 10 : wanted; }
int unused(int x) { return x; }
";
const MAIN: &str = "
int limit(int wanted);
int main(int count, char **words) {
    int many = limit(count);
    int length = words[0][0];
    return many + length;
}
";

/// A small program of two files with an edit that is not committed.
fn edited_project() -> tempfile::TempDir {
    let directory = repository_with(&[("limits.c", LIMITS), ("main.c", MAIN)]);
    let edited = LIMITS.replace("wanted > 10 ? 10", "wanted > 20 ? 20");
    std::fs::write(directory.path().join("limits.c"), edited).expect("a file");
    directory
}

/// The same report whatever the order of its rows.
fn in_any_order(mut report: Value) -> Value {
    for value in report.as_object_mut().expect("a report").values_mut() {
        if let Value::Array(rows) = value {
            rows.sort_by_key(Value::to_string);
        }
    }
    report
}

#[test]
fn each_tool_answers_what_its_command_answers() {
    let directory = edited_project();
    let mut client = Client::start(directory.path());
    let questions: [(&str, Value, &[&str]); 8] = [
        ("diff", json!({"include_unaffected": true}), &["diff"]),
        (
            "diff",
            json!({"only": ["main.c"], "include_unaffected": true, "level": "dataflow"}),
            &["diff", "--only", "main.c", "--level", "dataflow"],
        ),
        ("why", json!({"place": "main.c:6"}), &["why", "main.c:6"]),
        (
            "why",
            json!({"place": "main.c:main"}),
            &["why", "main.c:main"],
        ),
        (
            "slice",
            json!({"place": "main.c:5"}),
            &["slice", "main.c:5"],
        ),
        (
            "slice",
            json!({"place": "main.c:6", "direction": "backward"}),
            &["slice", "main.c:6", "--backward"],
        ),
        (
            "equiv",
            json!({"functions": ["limit"]}),
            &["equiv", "-f", "limit"],
        ),
        (
            "after",
            json!({"all": true, "direction": "before", "why": true}),
            &["before", "--all", "--why"],
        ),
    ];
    for (tool, arguments, command) in questions {
        let answer = client.answer(tool, arguments);
        assert_eq!(answer["truncated"], false, "{tool}: {answer}");
        let mut command = command.to_vec();
        command.extend(["--format", "json"]);
        let output = knockon(directory.path(), &command);
        let expected: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{command:?}: {error}: {output:?}"));
        let report = in_any_order(answer["report"].clone());
        assert_eq!(report, in_any_order(expected), "{command:?}");
    }
    client.close();
}

#[test]
fn unaffected_lines_are_counted_and_listed_only_if_asked_for() {
    let directory = edited_project();
    let mut client = Client::start(directory.path());
    let answer = client.answer("diff", json!({}));
    let verdicts = answer["report"]["lines"].as_array().expect("lines").iter();
    let verdicts: BTreeSet<&str> = verdicts
        .filter_map(|line| line["verdict"].as_str())
        .collect();
    assert!(
        verdicts.contains("changed") && !verdicts.contains("unaffected"),
        "{answer}"
    );
    let counted = &answer["only_counted"]["lines"]["unaffected"];
    assert!(counted.as_u64().is_some_and(|count| count >= 1), "{answer}");
    assert_eq!(answer["counts"]["lines"]["unaffected"], *counted);
}

#[test]
fn an_edit_between_two_calls_is_seen() {
    let directory = edited_project();
    let mut client = Client::start(directory.path());
    let first = client.answer("diff", json!({}));
    assert_eq!(first["counts"]["lines"]["changed"], 1, "{first}");
    std::fs::write(directory.path().join("limits.c"), LIMITS).expect("a file");
    let second = client.answer("diff", json!({}));
    assert_eq!(
        second["counts"]["lines"]["changed"],
        Value::Null,
        "{second}"
    );
    assert_ne!(first["inputs"], second["inputs"]);
}

/// A function that changes, and one with many lines that use its result.
fn long_program(first: &str) -> String {
    let steps: Vec<String> = (0..150)
        .map(|step| format!("    sum = sum * {} + first(sum);\n", step + 3))
        .collect();
    format!(
        "unsigned first(unsigned x) {{ return {first}; }}\nint main(int count, char **words) {{\n    unsigned sum = count;\n{}    return sum;\n}}\n",
        steps.concat()
    )
}

#[test]
fn following_the_cursor_gives_every_line_once_and_an_edit_ends_it() {
    let directory = directory_with(&[
        ("old.c", &long_program("x + 1")),
        ("new.c", &long_program("x + 2")),
    ]);
    let mut client = Client::start(directory.path());
    let whole = client.answer(
        "diff",
        json!({"old": "old.c", "new": "new.c", "level": "dataflow", "max_characters": 200_000}),
    );
    assert_eq!(whole["truncated"], false);
    let expected = lines_of(&whole);
    assert!(expected.len() > 150, "{}", expected.len());
    let mut seen = Vec::new();
    let mut arguments = json!({
        "old": "old.c", "new": "new.c", "level": "dataflow", "max_characters": 6000,
    });
    let mut cursors = Vec::new();
    loop {
        let result = client.result("diff", arguments.clone());
        let characters = result["content"].to_string().chars().count()
            + result["structuredContent"].to_string().chars().count();
        assert!(characters <= 6200, "{characters}");
        let page = &result["structuredContent"];
        seen.extend(lines_of(page));
        let Some(cursor) = page["cursor"].as_str() else {
            assert_eq!(page["truncated"], false);
            break;
        };
        assert_eq!(page["truncated"], true);
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert!(
            text.contains("TRUNCATED") && text.contains(cursor),
            "{text}"
        );
        arguments["cursor"] = json!(cursor);
        cursors.push(cursor.to_owned());
    }
    assert!(cursors.len() > 3);
    seen.sort_unstable();
    assert_eq!(seen, expected);
    std::fs::write(
        directory.path().join("new.c"),
        long_program("x + 3 + (x == 7)"),
    )
    .expect("a file");
    arguments["cursor"] = json!(cursors[1]);
    let refusal = client.refusal("diff", arguments);
    assert_eq!(refusal["error"], "cursor-outdated", "{refusal}");
}

fn lines_of(answer: &Value) -> Vec<u64> {
    let lines = answer["report"]["lines"].as_array().into_iter().flatten();
    let mut lines: Vec<u64> = lines.filter_map(|line| line["line"].as_u64()).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn names_that_are_ambiguous_or_unknown_get_the_candidates_or_the_nearest() {
    let helper = |entry: &str| {
        format!(
            "static int helper(int x) {{ return x; }}\nint {entry}(int x) {{ return helper(x); }}\n"
        )
    };
    let directory = repository_with(&[
        ("one/part.c", &helper("of_one")),
        ("two/part.c", &helper("of_two")),
        (
            "main.c",
            "int of_one(int); int of_two(int);\nint main(void) { return of_one(1) + of_two(2); }\n",
        ),
    ]);
    let mut client = Client::start(directory.path());
    let refusal = client.refusal("after", json!({"functions": ["helper"]}));
    assert_eq!(refusal["error"], "ambiguous");
    let candidates = refusal["candidates"].as_array().expect("candidates");
    assert_eq!(candidates.len(), 2, "{refusal}");
    let chosen = client.answer("after", json!({"functions": [candidates[0]]}));
    assert_eq!(chosen["report"]["schema"], "knockon.after/1");
    for place in ["part.c:1", "part.c:helper"] {
        let refusal = client.refusal("why", json!({"place": place}));
        assert_eq!(refusal["error"], "ambiguous", "{place}: {refusal}");
        assert_eq!(
            refusal["candidates"].as_array().map(Vec::len),
            Some(2),
            "{refusal}"
        );
    }
    let chosen = client.answer("why", json!({"place": "two/part.c:helper"}));
    assert_eq!(chosen["report"]["file"], "two/part.c", "{chosen}");
    let refusal = client.refusal("slice", json!({"place": "part.c:1"}));
    assert_eq!(refusal["error"], "ambiguous", "{refusal}");
    let refusal = client.refusal("after", json!({"functions": ["of_won"]}));
    assert_eq!(refusal["error"], "unknown");
    assert!(
        refusal["nearest"].to_string().contains("of_one"),
        "{refusal}"
    );
    let refusal = client.refusal("after", json!({"function": "main"}));
    assert_eq!(refusal["error"], "invalid-arguments");
}

#[test]
fn what_was_not_compiled_is_said_first() {
    let directory = edited_project();
    let path = directory.path().join("main.c");
    std::fs::write(path, format!("{MAIN}\nint broken( {{\n")).expect("a file");
    let mut client = Client::start(directory.path());
    let result = client.result("diff", json!({}));
    let answer = &result["structuredContent"];
    assert_eq!(answer["report"]["complete"], false);
    let first = answer["limits"][0].as_str().expect("a limit");
    assert!(first.starts_with("INCOMPLETE"), "{answer}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("INCOMPLETE"), "{text}");
}

#[test]
fn a_cancelled_question_leaves_the_session_usable() {
    let directory = directory_with(&[
        ("old.c", &long_program("x + 1")),
        ("new.c", &long_program("x * x + 2")),
    ]);
    let mut client = Client::start(directory.path());
    let arguments = json!({"old": "old.c", "new": "new.c"});
    for pause in [0, 30, 200] {
        let cancelled = client.ask("diff", arguments.clone());
        std::thread::sleep(Duration::from_millis(pause));
        client.cancel(cancelled);
        let begin = Instant::now();
        let answer = client.answer("after", json!({"program": "old.c", "functions": ["first"]}));
        assert_eq!(
            answer["report"]["relation"]["first"],
            json!(["first", "main"])
        );
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
    let mut quick = arguments;
    quick["level"] = json!("dataflow");
    let answer = client.answer("diff", quick);
    assert_eq!(answer["report"]["complete"], true);
    client.close();
}

#[test]
fn the_tools_are_listed_with_schemas() {
    let directory = directory_with(&[]);
    let mut client = Client::start(directory.path());
    let tools = client.request("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["diff", "why", "slice", "equiv", "after"]);
    for tool in tools {
        assert!(
            jsonschema::validator_for(&tool["inputSchema"]).is_ok(),
            "{tool}"
        );
    }
    client.close();
}

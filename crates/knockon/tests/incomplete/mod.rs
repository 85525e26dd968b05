//! What is not compiled is said, in every format, and decides the exit code.

use super::{directory_with, knockon, stderr};
use serde_json::Value;
use std::process::Output;

const ACTIVE: &str = "int main(void) {
#ifdef OTHER
    int a = 1;
    int b = 2;
    return a + b;
#endif
    return 0;
}
";

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

fn caveats<'a>(report: &'a Value, kind: &str) -> Vec<&'a Value> {
    let caveats = report["caveats"].as_array().expect("caveats");
    caveats.iter().filter(|row| row["kind"] == kind).collect()
}

#[test]
fn an_inactive_branch_is_a_caveat_with_its_lines_and_exit_code_2() {
    let new = ACTIVE.replace("a = 1;\n    int b = 2", "a = 3;\n    int b = 4");
    let directory = directory_with(&[("old/a.c", ACTIVE), ("new/a.c", &new)]);
    let arguments = ["diff", "old", "new", "--format", "json"];
    let output = knockon(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("1 changed hunk of code is not compiled (a.c:3"),
        "{text}"
    );
    assert!(text.contains("--allow-incomplete"), "{text}");
    let report = json(&output);
    let found = caveats(&report, "not-compiled");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["file"], "a.c");
    assert_eq!(found[0]["line"], 3);
    let message = found[0]["message"].as_str().expect("a message");
    assert_eq!(
        message,
        "lines 3 to 4 are not compiled: the preprocessor left it out"
    );
    let allowed = [&arguments[..], &["--allow-incomplete"]].concat();
    assert_eq!(knockon(directory.path(), &allowed).status.code(), Some(0));
    let why = ["why", "a.c:7", "old", "new"];
    assert_eq!(knockon(directory.path(), &why).status.code(), Some(2));
    for format in ["terminal", "sarif", "html", "github", "markdown", "dot"] {
        let arguments = ["diff", "old", "new", "--caveats", "--format", format];
        let output = knockon(directory.path(), &arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("lines 3 to 4 are not compiled"),
            "{format}: {text}"
        );
        assert!(
            text.contains("the preprocessor left it out"),
            "{format}: {text}"
        );
    }
}

/// A file that no compiler reads is named, and is no reason to fail; a text for people is no caveat.
#[test]
fn a_change_of_a_data_file_is_a_caveat_and_no_error() {
    let directory = directory_with(&[
        ("old/a.c", ACTIVE),
        ("old/names.dat", "one\n"),
        ("old/NEWS", "one\n"),
        ("new/a.c", ACTIVE),
        ("new/names.dat", "two\n"),
        ("new/NEWS", "two\n"),
    ]);
    let output = knockon(
        directory.path(),
        &["diff", "old", "new", "--format", "json"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = json(&output);
    let found = caveats(&report, "not-compiled");
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0]["message"],
        "line 1 is not compiled: no unit reads this file"
    );
    assert_eq!(found[0]["file"], "names.dat");
    let accounts = report["hunks"].as_array().expect("hunks").iter();
    let news: Vec<&Value> = accounts.filter(|hunk| hunk["file"] == "NEWS").collect();
    assert_eq!(news[0]["account"], "without effect");
    assert_eq!(news[0]["message"], "a text for people, which no unit reads");
}

#[test]
fn a_removed_hunk_is_named_by_its_old_lines() {
    let new = ACTIVE.replace("    int a = 1;\n    int b = 2;\n    return a + b;\n", "");
    let directory = directory_with(&[("old/a.c", ACTIVE), ("new/a.c", &new)]);
    let output = knockon(
        directory.path(),
        &["diff", "old", "new", "--format", "json"],
    );
    let report = json(&output);
    let found = caveats(&report, "not-compiled");
    let message = found[0]["message"].as_str().expect("a message");
    assert!(
        message.starts_with("lines 3 to 5 of the old version are"),
        "{message}"
    );
}

#[test]
fn a_unit_that_fails_alike_in_both_versions_is_told_once() {
    let broken = "int f(void);\nint broken( {\n";
    let directory = directory_with(&[
        ("old/a.c", ACTIVE),
        ("old/b.c", broken),
        ("new/a.c", ACTIVE),
        ("new/b.c", broken),
    ]);
    let output = knockon(directory.path(), &["diff", "old", "new", "--caveats"]);
    let text = stderr(&output);
    assert_eq!(text.matches("expected parameter").count(), 1, "{text}");
    assert!(!text.contains("b.c: b.c"), "{text}");
    assert!(text.contains("1 unit did not compile"), "{text}");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        shown.contains("caveat unit-failed: b.c:2: error: "),
        "{shown}"
    );
    assert!(!shown.contains("\\n"), "{shown}");
    let report = json(&knockon(
        directory.path(),
        &["diff", "old", "new", "--format", "json"],
    ));
    let found = caveats(&report, "unit-failed");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0]["file"], &found[0]["line"]),
        (&"b.c".into(), &2.into())
    );
}

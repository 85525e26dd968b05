//! Levels are shown as they are reached, and what is done when time is up or the user stops.

mod several_executables;

use super::{directory_with, knockon, knockon_command, stderr, stdout};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

const OLD: &str = "int twice(int x) {
    return x * 2;
}
int other(int y) {
    return y + 1;
}
int main(int argc, char **argv) {
    int a = twice(argc);
    int b = other(argc);
    return a + b;
}
";

fn two_versions() -> tempfile::TempDir {
    directory_with(&[("old.c", OLD), ("new.c", &OLD.replace("x * 2", "x * 3"))])
}

fn level_names(report: &Value) -> Vec<&str> {
    let levels = report["levels"].as_array().expect("levels");
    let names = levels.iter().map(|row| row["level"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

fn budget_caveat(report: &Value) -> Option<&str> {
    let caveats = report["caveats"].as_array().expect("caveats");
    let found = caveats.iter().find(|caveat| caveat["kind"] == "budget")?;
    found["message"].as_str()
}

#[test]
fn without_time_the_first_level_is_shown_with_a_caveat() {
    let directory = two_versions();
    let report = |budget: &str| -> Value {
        let arguments = [
            "diff", "old.c", "new.c", "--format", "json", "--level", "semantic", "--budget", budget,
        ];
        let text = stdout(&knockon(directory.path(), &arguments));
        serde_json::from_str(&text).expect("JSON")
    };
    let cut = report("0s");
    assert_eq!(level_names(&cut), ["execute-after"]);
    let message = budget_caveat(&cut).expect("a caveat");
    assert!(message.contains("`dataflow`"), "{message}");
    let whole = report("1h");
    assert_eq!(
        level_names(&whole),
        [
            "execute-after",
            "dataflow",
            "semantic-0",
            "semantic-1",
            "semantic-2",
            "semantic-3",
            "semantic-inf"
        ]
    );
    assert_eq!(budget_caveat(&whole), None);
    assert!(cut["levels"][0] == whole["levels"][0]);
}

#[test]
fn a_budget_that_is_no_time_is_refused() {
    let directory = two_versions();
    let output = knockon(
        directory.path(),
        &["diff", "old.c", "new.c", "--budget", "soon"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("90s"), "{}", stderr(&output));
}

/// `script` gives the command a terminal.
#[test]
fn on_a_terminal_each_level_is_told_when_it_is_done() {
    let directory = two_versions();
    let command = format!(
        "{} diff old.c new.c -o report",
        env!("CARGO_BIN_EXE_knockon")
    );
    let output = knockon_command(directory.path(), "script")
        .args(["-qec", &command, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .expect("script runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.find("execute-after: 4 possible lines");
    let second = text.find("dataflow: 2 possible lines");
    assert!(first.is_some() && first < second, "{text}");
}

/// Long chains through shared memory: there is time to stop.
fn long_program(change: &str) -> String {
    let mut text = "int cells[64];\nint *where = cells;\n".to_owned();
    for number in 0..1500 {
        let before = match number {
            0 => change.to_owned(),
            _ => format!("step{}(x)", number - 1),
        };
        let _ = write!(
            text,
            "int step{number}(int x) {{
    if (x > {number})
        where[x & 63] += cells[{}];
    return {before} + cells[{}];
}}
",
            number % 64,
            number * 5 % 64
        );
    }
    text + "int main(int argc, char **argv) {\n    return step1499(argc);\n}\n"
}

#[test]
fn ctrl_c_prints_the_results_so_far_and_exits_with_130() {
    let directory = directory_with(&[
        ("old.c", &long_program("x")),
        ("new.c", &long_program("x + 1")),
    ]);
    let mut child = knockon_command(directory.path(), env!("CARGO_BIN_EXE_knockon"))
        .args(["diff", "old.c", "new.c", "--format", "json", "--timings"])
        .args(["--budget", "1h"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("knockon runs");
    let told = BufReader::new(child.stderr.take().expect("standard error"));
    let mut lines = told.lines();
    let first_level = lines.find(|line| {
        let line = line.as_ref().expect("a line");
        line.ends_with("execute-after")
    });
    assert!(first_level.is_some(), "it ended before the first level");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill runs").success());
    let rest = std::thread::spawn(move || lines.count());
    let mut text = String::new();
    let mut results = child.stdout.take().expect("standard output");
    results.read_to_string(&mut text).expect("a text");
    let status = child.wait().expect("it ends");
    rest.join().expect("standard error ends");
    assert_eq!(status.code(), Some(130));
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(level_names(&report)[0], "execute-after");
    let message = budget_caveat(&report).expect("a caveat");
    assert!(message.contains("interrupted"), "{message}");
    assert!(
        report["lines"]
            .as_array()
            .is_some_and(|rows| rows.len() > 1000)
    );
}

/// Functions of which no solver knows within the effort of one question whether they are the same:
/// so many that they take seconds.
fn hard(with_a_branch: bool) -> String {
    let numbers = 0..48;
    let function = |number: u32| {
        let branch = match with_a_branch {
            true => format!(
                "    if (x * y * (x + y) * (x ^ y) == {}u * y)\n        a = y * x * {}u + x;\n",
                0xDEAD_BEEF + 2 * number,
                2 * number + 77
            ),
            false => String::new(),
        };
        format!(
            "unsigned hard{number}(unsigned x, unsigned y) {{\n    unsigned a = x * {}u + 3u;\n\
             {branch}    return a * y;\n}}\n",
            2 * number + 7
        )
    };
    let calls = numbers
        .clone()
        .map(|number| format!("hard{number}(argc, argc + 1)"));
    let calls: Vec<String> = calls.collect();
    let main = format!(
        "int main(int argc, char **argv) {{\n    return ({}) > 7;\n}}\n",
        calls.join(" + ")
    );
    numbers.map(function).collect::<String>() + &main
}

#[test]
fn a_level_that_was_broken_off_is_not_one_that_was_done() {
    let directory = directory_with(&[("old.c", &hard(false)), ("new.c", &hard(true))]);
    let mut arguments = vec!["diff", "old.c", "new.c", "--format", "json", "--no-cache"];
    arguments.extend(["--budget", "3s"]);
    let text = stdout(&knockon(directory.path(), &arguments));
    let report: Value = serde_json::from_str(&text).expect("JSON");
    // Which level it is depends on the machine.
    let names = level_names(&report);
    let last = names.last().expect("a level");
    let broken_off = last.strip_suffix(", broken off").expect("it is said");
    assert!(broken_off.starts_with("semantic-"), "{names:?}");
    assert!(!names.contains(&"semantic-inf"), "{names:?}");
    let message = budget_caveat(&report).expect("a caveat");
    assert!(
        message.contains("the part of the budget of 3 s")
            && message.contains(&format!("`{broken_off}`")),
        "{message}"
    );
}

#[test]
fn a_missing_solver_is_its_own_caveat_and_the_same_code_needs_none() {
    let directory = two_versions();
    let clang = Command::new("sh")
        .args(["-c", "command -v clang-19 || command -v clang"])
        .output();
    let clang = clang.expect("sh runs").stdout;
    let clang = String::from_utf8(clang).expect("a path");
    let output = knockon_command(directory.path(), env!("CARGO_BIN_EXE_knockon"))
        .args(["diff", "old.c", "new.c", "--format", "json", "--no-cache"])
        .env("KNOCKON_CLANG", clang.trim())
        .env("PATH", directory.path())
        .output()
        .expect("knockon runs");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(budget_caveat(&report), None);
    assert_eq!(report["caveats"][0]["kind"], "no-solver");
    let functions = report["functions"].as_array().expect("functions");
    let summary = |name: &str| {
        let found = functions.iter().find(|row| row["name"] == name);
        found.map(|row| row["summary"].clone())
    };
    assert_eq!(summary("other"), Some("equivalent".into()));
    assert_eq!(summary("twice"), Some("unknown".into()));
}

/// The compiler itself stops its caller here, so that it happens while units are read; once, since
/// both versions are read at the same time and a second signal ends at once.
#[test]
fn ctrl_c_while_reading_exits_with_130_and_says_that_there_is_nothing_yet() {
    let directory = two_versions();
    let script = "#!/bin/sh
case \"$*\" in *-emit-llvm*) mkdir \"$0.called\" && kill -INT $PPID; sleep 0.2;; esac
exec clang \"$@\"
";
    let path = directory.path().join("compiler");
    let written = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .and_then(|mut child| {
            use std::io::Write as _;
            let mut input = child.stdin.take().expect("an input");
            input.write_all(script.as_bytes())?;
            drop(input);
            child.wait()
        });
    assert!(written.expect("sh runs").success());
    let output = knockon_command(directory.path(), env!("CARGO_BIN_EXE_knockon"))
        .args(["diff", "old.c", "new.c", "--no-cache"])
        .env("KNOCKON_CLANG", &path)
        .output()
        .expect("knockon runs");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert!(
        stderr(&output).contains("interrupted"),
        "{}",
        stderr(&output)
    );
}

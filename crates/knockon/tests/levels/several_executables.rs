//! A level goes over all executables before the next one begins.

use super::super::{directory_with, knockon, knockon_command, stderr, stdout};
use super::{budget_caveat, level_names};
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "int shared(int x);
int putchar(int c);
int main(int argc, char **argv) {
    int a = shared(argc);
    int b = argc + 1;
    putchar(a);
    return b;
}
";

/// Solvers have to be asked whether both do the same.
const SHARED: [&str; 2] = [
    "int shared(int x) {\n    return x ^ 5;\n}\n",
    "int shared(int x) {\n    return (x | 5) - (x & 5);\n}\n",
];

fn three_programs() -> tempfile::TempDir {
    let [old, new] = SHARED;
    let mut files = vec![("old/shared.c", old), ("new/shared.c", new)];
    for name in [
        "old/one.c",
        "old/two.c",
        "old/three.c",
        "new/one.c",
        "new/two.c",
        "new/three.c",
    ] {
        files.push((name, PROGRAM));
    }
    directory_with(&files)
}

/// A solver that notes that it was started, and says nothing.
fn silent_solver(directory: &Path) -> PathBuf {
    let programs = directory.join("programs");
    std::fs::create_dir(&programs).expect("a directory");
    let script = "#!/bin/sh\n: > \"$0.started\"\nexec sleep 1000\n";
    // Written by another process: one that this one starts meanwhile would hold the file open.
    let mut child = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
        .arg(programs.join("z3"))
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh runs");
    let mut input = child.stdin.take().expect("an input");
    input.write_all(script.as_bytes()).expect("it is read");
    drop(input);
    assert!(child.wait().expect("it ends").success());
    programs
}

fn with_silent_solver(directory: &Path, budget: &str) -> (Command, PathBuf) {
    let programs = silent_solver(directory);
    let path = std::env::var("PATH").expect("a path");
    let mut command = knockon_command(directory, env!("CARGO_BIN_EXE_knockon"));
    command
        .args([
            "diff",
            "path:old",
            "path:new",
            "--format",
            "json",
            "--no-cache",
        ])
        .args(["--budget", budget])
        .env("PATH", format!("{}:{path}", programs.display()));
    (command, programs.join("z3.started"))
}

/// Dataflow took a line away from each program that runs after the change.
fn assert_dataflow_in_all(report: &Value) {
    let levels = report["levels"].as_array().expect("levels");
    let names = level_names(report);
    assert_eq!(names[..2], ["execute-after", "dataflow"], "{names:?}");
    assert!(names[2].ends_with(", broken off"), "{names:?}");
    let possible = |at: usize| levels[at]["possible_lines"].as_u64().expect("a number");
    assert!(possible(1) + 3 <= possible(0), "{levels:?}");
    let lines = report["lines"].as_array().expect("lines");
    for program in ["one.c", "two.c", "three.c"] {
        let line = |number: u64| {
            let mut rows = lines.iter();
            rows.find(|row| row["file"] == program && row["line"] == number)
                .expect("a line")
        };
        assert_eq!(line(4)["verdict"], "possible");
        assert_eq!(line(5)["verdict"], "unaffected");
        assert_eq!(line(5)["cut_by"], "no-dependence");
        let reasons = line(4)["reasons"].as_array();
        assert!(reasons.is_some_and(|reasons| !reasons.is_empty()));
    }
}

#[test]
fn a_solver_that_hangs_costs_no_finished_level_and_not_more_than_the_budget() {
    let directory = three_programs();
    let (mut command, started) = with_silent_solver(directory.path(), "4s");
    let begin = Instant::now();
    let output = command.output().expect("knockon runs");
    // Each program's proofs wait for three trials of the solver, of three seconds each.
    assert!(begin.elapsed() < Duration::from_secs(15));
    assert!(started.exists(), "the solver was not asked");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_dataflow_in_all(&report);
    let message = budget_caveat(&report).expect("a caveat");
    assert!(
        message.contains("the part of the budget of 4 s"),
        "{message}"
    );
}

#[test]
fn ctrl_c_during_proofs_keeps_what_was_found_in_all_executables() {
    let directory = three_programs();
    let (mut command, started) = with_silent_solver(directory.path(), "1h");
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("knockon runs");
    let begin = Instant::now();
    while !started.exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no solver yet");
        std::thread::sleep(Duration::from_millis(20));
    }
    let interrupted = Instant::now();
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    // Without the sign, a trial takes three seconds, and three programs have three each.
    assert!(interrupted.elapsed() < Duration::from_secs(10));
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).expect("a text");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_dataflow_in_all(&report);
    let message = budget_caveat(&report).expect("a caveat");
    assert!(message.contains("interrupted"), "{message}");
}

#[test]
fn an_executable_without_a_change_is_done_after_the_first_level() {
    let changed = PROGRAM.replace("argc + 1", "argc + 2");
    let [shared, _] = SHARED;
    let directory = directory_with(&[
        ("old/one.c", PROGRAM),
        ("old/two.c", PROGRAM),
        ("old/three.c", PROGRAM),
        ("old/shared.c", shared),
        ("new/one.c", PROGRAM),
        ("new/two.c", &changed),
        ("new/three.c", PROGRAM),
        ("new/shared.c", shared),
    ]);
    let output = knockon(
        directory.path(),
        &[
            "diff",
            "path:old",
            "path:new",
            "--format",
            "json",
            "--timings",
        ],
    );
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let told = stderr(&output);
    let steps = |name: &str| told.lines().filter(|line| line.ends_with(name)).count();
    assert_eq!(steps("s  dataflow"), 1, "{told}");
    assert_eq!(steps("s  proofs of semantic-0"), 1, "{told}");
    let functions = report["functions"].as_array().expect("functions");
    for row in functions {
        let is_changed = row["file"] == "two.c";
        let summary = match is_changed {
            true => "unknown",
            false => "equivalent",
        };
        assert_eq!(row["summary"], summary, "{row}");
    }
}

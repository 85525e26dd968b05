//! The commands as a user runs them.

mod attributes;
mod builds;
mod comparing;
mod included_files;
mod incomplete;
mod levels;
mod messages;
mod no_cache;
mod old_files;
mod output_files;
mod readme;
mod reasons;
mod serve;

use std::path::Path;
use std::process::{Command, Output};

fn knockon(directory: &Path, arguments: &[&str]) -> Output {
    knockon_command(directory, env!("CARGO_BIN_EXE_knockon"))
        .args(arguments)
        .output()
        .expect("knockon runs")
}

/// A program that is knockon or starts it, apart from the user's settings.
fn knockon_command(directory: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(directory)
        .env("KNOCKON_CACHE_DIR", directory.join(".test-cache"))
        .env("XDG_STATE_HOME", directory.join(".test-state"))
        .env("NO_COLOR", "1");
    command
}

fn stdout(output: &Output) -> String {
    assert!(
        output.status.success(),
        "exit {:?}\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn directory_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    directory
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A git repository whose first commit holds these files.
fn repository_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = directory_with(files);
    git(directory.path(), &["init", "-q"]);
    let ignored = ".test-cache\n.test-state\n";
    let exclude = directory.path().join(".git/info/exclude");
    std::fs::create_dir_all(exclude.parent().expect("a parent")).expect("a directory");
    std::fs::write(exclude, ignored).expect("a file");
    git(directory.path(), &["add", "-A"]);
    git(directory.path(), &["commit", "-q", "-m", "first"]);
    directory
}

/// Runs git without the user's settings.
fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const THREE: &str = "
void first(void) {}
void second(void) {}
void unused(void) {}
int main(void) { first(); second(); return 0; }
";

#[test]
fn after_names_the_functions_that_follow() {
    let directory = directory_with(&[("a.c", THREE)]);
    let text = stdout(&knockon(directory.path(), &["after", "first", "-p", "a.c"]));
    assert_eq!(
        text,
        "2 functions may execute after first\n  second\n  main\n"
    );
    let text = stdout(&knockon(
        directory.path(),
        &["before", "second", "-p", "a.c", "--why"],
    ));
    assert!(
        text.contains("precedes: second ← main (a.c:5) → first (a.c:5)"),
        "{text}"
    );
}

#[test]
fn json_follows_the_contract() {
    let directory = directory_with(&[("a.c", THREE)]);
    let arguments = ["after", "--all", "-p", "a.c", "--format", "json"];
    let text = stdout(&knockon(directory.path(), &arguments));
    assert!(text.contains("\"schema\": \"knockon.after/1\""), "{text}");
    assert!(text.contains("\"complete\": true"), "{text}");
}

#[test]
fn an_unknown_function_gets_the_nearest_names_and_exit_code_2() {
    let directory = directory_with(&[("a.c", THREE)]);
    let output = knockon(directory.path(), &["after", "fist", "-p", "a.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("did you mean `first`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_unit_that_does_not_compile_is_reported_with_clangs_words_and_the_rest_is_analysed() {
    let directory = directory_with(&[
        ("a.c", "int main(void) { return 0; }\n"),
        ("b.c", "int broken( {\n"),
    ]);
    let output = knockon(directory.path(), &["after", "main"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("b.c:1:"), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("after main"));
    let output = knockon(directory.path(), &["after", "main", "--allow-incomplete"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_makefile_without_a_record_says_what_to_run() {
    let directory = directory_with(&[("a.c", THREE), ("Makefile", "a: a.c\n\tcc -o a a.c\n")]);
    let output = knockon(directory.path(), &["after", "main"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("knockon capture -- make"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_captured_build_tells_its_executables_apart() {
    let directory = directory_with(&[
        (
            "one.c",
            "void shared(void); int main(void) { shared(); return 1; }\n",
        ),
        (
            "two.c",
            "void shared(void); int main(void) { shared(); return 2; }\n",
        ),
        ("shared.c", "void shared(void) {}\n"),
        (
            "Makefile",
            "all: one two\none: one.o shared.o\n\tcc -o $@ $^\ntwo: two.o shared.o\n\tcc -o $@ $^\n",
        ),
    ]);
    let text = stdout(&knockon(directory.path(), &["capture", "--", "make", "-s"]));
    assert!(text.contains("one from 2 units"), "{text}");
    let output = knockon(directory.path(), &["after", "shared"]);
    assert!(
        stderr(&output).contains("--executable"),
        "{}",
        stderr(&output)
    );
    let text = stdout(&knockon(
        directory.path(),
        &["after", "shared", "--executable", "two"],
    ));
    assert_eq!(text, "1 function may execute after shared\n  main\n");
}

#[test]
fn a_name_that_exists_twice_is_qualified_by_its_file() {
    let helper = |entry: &str| {
        format!("static void helper(void) {{}}\nvoid {entry}(void) {{ helper(); }}\n")
    };
    let directory = directory_with(&[
        ("a.c", &helper("of_a")),
        ("b.c", &helper("of_b")),
        (
            "main.c",
            "void of_a(void); void of_b(void); int main(void) { of_a(); of_b(); }\n",
        ),
    ]);
    let output = knockon(directory.path(), &["after", "helper"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("a.c:helper"),
        "{}",
        stderr(&output)
    );
    let text = stdout(&knockon(directory.path(), &["after", "b.c:helper"]));
    assert!(text.contains("main") && !text.contains("of_a"), "{text}");
}

#[test]
fn dump_shows_loops_and_ssa_as_text_and_dot() {
    let directory = directory_with(&[(
        "a.c",
        "int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n",
    )]);
    for what in ["cfg", "ssa", "dominators", "loops"] {
        let text = stdout(&knockon(
            directory.path(),
            &["dump", what, "sum", "-p", "a.c"],
        ));
        assert!(!text.trim().is_empty());
        let dot = stdout(&knockon(
            directory.path(),
            &["dump", what, "sum", "-p", "a.c", "--format", "dot"],
        ));
        assert!(dot.starts_with("digraph"), "{dot}");
    }
    let ssa = stdout(&knockon(
        directory.path(),
        &["dump", "ssa", "sum", "-p", "a.c"],
    ));
    assert!(ssa.contains("phi") && !ssa.contains("alloca"), "{ssa}");
}

#[test]
fn every_caveat_can_be_explained() {
    let directory = directory_with(&[]);
    let text = stdout(&knockon(directory.path(), &["explain"]));
    assert!(text.contains("unmodelled-external"));
    let output = knockon(directory.path(), &["explain", "unmodeled-external"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`unmodelled-external`"));
}

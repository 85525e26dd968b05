//! The commands as a user runs them.

use std::path::Path;
use std::process::{Command, Output};

fn knockon(directory: &Path, arguments: &[&str]) -> Output {
    let cache = directory.join(".test-cache");
    Command::new(env!("CARGO_BIN_EXE_knockon"))
        .args(arguments)
        .current_dir(directory)
        .env("KNOCKON_CACHE_DIR", &cache)
        .env("XDG_STATE_HOME", directory.join(".test-state"))
        .env("NO_COLOR", "1")
        .output()
        .expect("knockon runs")
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

/// The first screen of the README is what the commands print on the example.
#[test]
fn the_transcript_in_the_readme_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let mut files: Vec<(String, String)> = Vec::new();
    for entry in std::fs::read_dir(root.join("examples/parking")).expect("the example") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_file() && !name.ends_with(".o") {
            files.push((name, std::fs::read_to_string(&path).unwrap_or_default()));
        }
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let directory = directory_with(&files);
    let transcript = readme
        .split("```\n")
        .find(|block| block.starts_with("$ knockon"))
        .expect("a transcript");
    let mut commands = 0;
    for part in transcript.split("$ knockon ").skip(1) {
        let (command, expected) = part.split_once('\n').expect("output");
        let arguments: Vec<&str> = command.split(' ').collect();
        assert_eq!(
            stdout(&knockon(directory.path(), &arguments)),
            expected,
            "{command}"
        );
        commands += 1;
    }
    assert!(commands >= 2);
}

//! What a revision is compiled with that is built by the working tree's commands: generated files,
//! and nothing else of the new version. Each difference is first seen by running both versions.

use super::{git, knockon, repository_with, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn write(directory: &Path, file: &str, text: &str) {
    let path = directory.join(file);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(path, text).expect("a file");
}

fn commit(directory: &Path) {
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "-q", "-m", "next"]);
}

fn capture(directory: &Path) {
    git(
        directory,
        &["clean", "-fdXq", "-e", "!.test-cache", "-e", "!.test-state"],
    );
    stdout(&knockon(directory, &["capture", "--", "make", "-s"]));
}

/// What `prog` prints when it is built from this revision, or from the working tree, alone.
fn output_of(directory: &Path, revision: Option<&str>) -> String {
    let place = tempfile::tempdir().expect("a directory");
    let copy = place.path().join("copy");
    let from = directory.to_str().expect("a name");
    let to = copy.to_str().expect("a name");
    match revision {
        Some(revision) => {
            git(directory, &["clone", "-q", from, to]);
            git(&copy, &["checkout", "-q", revision]);
        }
        None => {
            let copied = Command::new("cp").args(["-r", from, to]).status();
            assert!(copied.expect("cp runs").success());
            git(&copy, &["clean", "-fdXq"]);
        }
    }
    let made = Command::new("make").arg("-s").current_dir(&copy).output();
    let made = made.expect("make runs");
    assert!(made.status.success(), "{made:?}");
    let run = Command::new(copy.join("prog")).output().expect("it runs");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

fn report(directory: &Path, arguments: &[&str]) -> Value {
    let all = [&["diff"], arguments, &["--format", "json"]].concat();
    let output = knockon(directory, &all);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
}

fn verdict<'a>(report: &'a Value, file: &str, line: u64) -> &'a str {
    let mut rows = report["lines"].as_array().expect("lines").iter();
    let row = rows.find(|row| row["file"] == file && row["line"] == line);
    row.and_then(|row| row["verdict"].as_str())
        .unwrap_or_else(|| panic!("{file}:{line} has no row: {report:#}"))
}

fn generated_file_caveats(report: &Value) -> Vec<&str> {
    let rows = report["caveats"].as_array().expect("caveats").iter();
    let rows = rows.filter(|row| row["kind"] == "generated-file");
    rows.filter_map(|row| row["message"].as_str()).collect()
}

fn hunks_of<'a>(report: &'a Value, file: &str) -> Vec<&'a Value> {
    let rows = report["hunks"].as_array().expect("hunks").iter();
    rows.filter(|row| row["file"] == file).collect()
}

const IGNORED: &str = "*.o\nprog\n.knockon\n";

/// Prints 2 where there is an `extra.h`, and 1 else.
const ASKS: &str = "#include <stdio.h>
#if __has_include(\"extra.h\")
#include \"extra.h\"
#else
#define EXTRA 1
#endif
int main(void) {
    int extra = EXTRA;
    printf(\"%d\\n\", extra);
    return 0;
}
";

const PLAIN: &str = "prog: main.c\n\tcc -Iinclude -c main.c\n\tcc -o prog main.o\n";

#[test]
fn a_header_that_is_tracked_is_missing_in_the_version_that_lacks_it() {
    let repository = repository_with(&[
        ("Makefile", PLAIN),
        ("main.c", ASKS),
        (".gitignore", IGNORED),
    ]);
    let here = repository.path();
    write(here, "include/extra.h", "#define EXTRA 2\n");
    commit(here);
    assert_eq!(output_of(here, Some("HEAD~1")), "1\n");
    assert_eq!(output_of(here, Some("HEAD")), "2\n");
    capture(here);
    for versions in [&["HEAD~1"][..], &["HEAD~1", "HEAD"], &["HEAD~1..HEAD"]] {
        let report = report(here, versions);
        assert_ne!(verdict(&report, "main.c", 9), "unaffected", "{versions:?}");
        assert_ne!(report["output"], "equal");
    }
    let equal = knockon(here, &["equiv", "-f", "main", "HEAD~1", "HEAD"]);
    assert_ne!(equal.status.code(), Some(0), "{equal:?}");
}

#[test]
fn a_new_header_that_shadows_another_is_not_seen_by_the_old_version() {
    let main = "#include <stdio.h>\n#include <limit.h>\nint main(void) {\n    int limit = LIMIT;\n    printf(\"%d\\n\", limit);\n    return 0;\n}\n";
    let makefile = "prog: main.c\n\tcc -Ifirst -Isecond -c main.c\n\tcc -o prog main.o\n";
    let repository = repository_with(&[
        ("Makefile", makefile),
        ("main.c", main),
        ("first/other.h", "\n"),
        ("second/limit.h", "#define LIMIT 1\n"),
        (".gitignore", IGNORED),
    ]);
    let here = repository.path();
    write(here, "first/limit.h", "#define LIMIT 2\n");
    commit(here);
    assert_eq!(output_of(here, Some("HEAD~1")), "1\n");
    assert_eq!(output_of(here, Some("HEAD")), "2\n");
    capture(here);
    for versions in [&["HEAD~1"][..], &["HEAD~1", "HEAD"]] {
        assert_ne!(verdict(&report(here, versions), "main.c", 5), "unaffected");
    }
}

#[test]
fn an_uncommitted_header_that_the_old_version_would_find_makes_its_readers_possible() {
    let repository = repository_with(&[
        ("Makefile", PLAIN),
        ("main.c", ASKS),
        (".gitignore", IGNORED),
    ]);
    let here = repository.path();
    write(here, "include/extra.h", "#define EXTRA 2\n");
    assert_eq!(output_of(here, Some("HEAD")), "1\n");
    assert_eq!(output_of(here, None), "2\n");
    capture(here);
    let report = report(here, &[]);
    assert_ne!(verdict(&report, "main.c", 9), "unaffected");
    assert_ne!(report["output"], "equal");
    let caveats = generated_file_caveats(&report);
    assert!(
        caveats.iter().any(|text| text.contains("include/extra.h")),
        "{caveats:?}"
    );
}

#[test]
fn an_uncommitted_header_that_only_new_code_includes_costs_nothing() {
    let main = "#include <stdio.h>\nint twice(int x) {\n    return x * 2;\n}\nint main(void) {\n    printf(\"%d\\n\", twice(2));\n    puts(\"done\");\n    return 0;\n}\n";
    let repository = repository_with(&[
        ("Makefile", PLAIN),
        ("main.c", main),
        (".gitignore", IGNORED),
    ]);
    let here = repository.path();
    write(here, "include/factor.h", "#define FACTOR 3\n");
    let new = main.replace("x * 2", "x * FACTOR");
    write(here, "main.c", &format!("#include \"factor.h\"\n{new}"));
    capture(here);
    let report = report(here, &[]);
    assert_eq!(verdict(&report, "main.c", 7), "possible");
    assert_eq!(verdict(&report, "main.c", 8), "unaffected");
    assert!(generated_file_caveats(&report).is_empty());
}

/// `table.h` is made from `tokens.txt` by a program of the build.
const GENERATES: &str = "prog: main.o
\tcc -o prog main.o
main.o: main.c table.h
\tcc -c main.c
table.h: generate tokens.txt
\t./generate < tokens.txt > table.h
generate: generate.c base.h
\tcc -o generate generate.c
";
const GENERATE_C: &str = "#include <stdio.h>\n#include \"base.h\"\nint main(void) { int x; if (scanf(\"%d\", &x) != 1) return 1; printf(\"#define TABLE %d\\n\", x + BASE); return 0; }\n";
const READS_TABLE: &str = "#include <stdio.h>
#include \"table.h\"
static int other(int x) {
    return x + 1;
}
int main(int argc, char **argv) {
    int table = TABLE;
    printf(\"%d\\n\", table);
    return other(argc) - 2;
}
";

fn generating() -> tempfile::TempDir {
    repository_with(&[
        ("Makefile", GENERATES),
        ("generate.c", GENERATE_C),
        ("base.h", "#define BASE 0\n"),
        ("tokens.txt", "7\n"),
        ("main.c", READS_TABLE),
        ("README.md", "A table.\n"),
        (".gitignore", "*.o\nprog\ngenerate\ntable.h\n.knockon\n"),
    ])
}

#[test]
fn a_generated_file_may_be_another_one_where_its_input_or_generator_differs() {
    for (file, text) in [
        ("tokens.txt", "8\n".to_owned()),
        ("base.h", "#define BASE 1\n".to_owned()),
        ("generate.c", GENERATE_C.replace("x + BASE", "x + 1")),
    ] {
        let repository = generating();
        let here = repository.path();
        write(here, file, &text);
        commit(here);
        assert_eq!(output_of(here, Some("HEAD~1")), "7\n");
        assert_eq!(output_of(here, Some("HEAD")), "8\n");
        capture(here);
        for versions in [
            &["HEAD~1", "--executable", "prog"][..],
            &["HEAD~1", "HEAD", "--executable", "prog"],
        ] {
            let report = report(here, versions);
            assert_ne!(verdict(&report, "main.c", 8), "unaffected", "{file}");
            assert_ne!(report["output"], "equal", "{file}");
            let caveats = generated_file_caveats(&report);
            let names = |text: &&&str| {
                text.contains("table.h") && text.contains(file) && text.contains("[build]")
            };
            assert!(
                caveats.iter().any(|text| names(&text)),
                "{file}: {caveats:?}"
            );
        }
        let why = knockon(
            here,
            &["why", "main.c:8", "HEAD~1", "HEAD", "--executable", "prog"],
        );
        let text = String::from_utf8_lossy(&why.stdout).into_owned();
        assert!(text.contains("possible"), "{file}: {text}");
        let equal = knockon(
            here,
            &[
                "equiv",
                "-f",
                "main",
                "HEAD~1",
                "HEAD",
                "--executable",
                "prog",
            ],
        );
        assert_ne!(equal.status.code(), Some(0), "{file}: {equal:?}");
    }
}

#[test]
fn a_generated_file_is_equal_where_only_code_and_documentation_differ() {
    let repository = generating();
    let here = repository.path();
    write(here, "main.c", &READS_TABLE.replace("x + 1", "x + 2"));
    write(here, "README.md", "Another text.\n");
    commit(here);
    capture(here);
    let report = report(here, &["HEAD~1", "--executable", "prog"]);
    assert_eq!(verdict(&report, "main.c", 8), "unaffected");
    assert_eq!(verdict(&report, "main.c", 9), "possible");
    let caveats = generated_file_caveats(&report);
    assert_eq!(
        caveats,
        ["table.h is not in the revision; what the working tree's build left there is used"]
    );
}

/// Nothing in the build's texts says what writes `table.h`.
const HIDES: &str = "prog: main.c generate.c\n\tcc -o generate generate.c\n\t./generate\n\tcc -c main.c\n\tcc -o prog main.o\n";

#[test]
fn a_program_of_the_build_may_make_a_file_that_it_does_not_read() {
    let generate = "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"tab\" \"le.h\", \"w\"); fputs(\"#define TABLE 7\\n\", f); return fclose(f); }\n";
    let repository = repository_with(&[
        ("Makefile", HIDES),
        ("generate.c", generate),
        ("main.c", READS_TABLE),
        (".gitignore", "*.o\nprog\ngenerate\ntable.h\n.knockon\n"),
    ]);
    let here = repository.path();
    write(here, "generate.c", &generate.replace('7', "8"));
    commit(here);
    assert_eq!(output_of(here, Some("HEAD~1")), "7\n");
    assert_eq!(output_of(here, Some("HEAD")), "8\n");
    capture(here);
    let report_now = report(here, &["HEAD~1", "--executable", "prog"]);
    assert_ne!(verdict(&report_now, "main.c", 8), "unaffected");
    write(here, "main.c", &READS_TABLE.replace("x + 1", "x + 2"));
    commit(here);
    capture(here);
    let report_now = report(here, &["HEAD~1", "--executable", "prog"]);
    assert_eq!(verdict(&report_now, "main.c", 8), "unaffected");
}

#[test]
fn a_generated_file_of_any_name_is_found() {
    let makefile = "prog: main.o\n\tcc -o prog main.o\nmain.o: main.c guc-file.c\n\tcc -c main.c\nguc-file.c: guc-file.txt\n\tcp guc-file.txt guc-file.c\n";
    let main = "#include <stdio.h>\n#include \"guc-file.c\"\nint main(void) {\n    int x = 4;\n    printf(\"%d\\n\", guc(x));\n    puts(\"done\");\n    return 0;\n}\n";
    let repository = repository_with(&[
        ("Makefile", makefile),
        (
            "guc-file.txt",
            "static int guc(int x) {\n    return x + 1;\n}\n",
        ),
        ("main.c", main),
        (".gitignore", "*.o\nprog\nguc-file.c\n.knockon\n"),
    ]);
    let here = repository.path();
    write(here, "main.c", &main.replace("x = 4", "x = 5"));
    commit(here);
    capture(here);
    for versions in [&["HEAD~1"][..], &["HEAD~1", "HEAD"]] {
        let report = report(here, versions);
        assert_eq!(report["complete"], true);
        assert_eq!(verdict(&report, "main.c", 6), "unaffected");
        assert_eq!(verdict(&report, "guc-file.c", 2), "possible");
        let caveats = generated_file_caveats(&report);
        assert!(
            caveats.iter().any(|text| text.contains("guc-file.c")),
            "{caveats:?}"
        );
    }
    write(
        here,
        "guc-file.txt",
        "static int guc(int x) {\n    return x + 2;\n}\n",
    );
    commit(here);
    capture(here);
    let report = report(here, &["HEAD~1", "HEAD"]);
    assert_ne!(verdict(&report, "guc-file.c", 2), "unaffected");
}

#[test]
fn a_configured_header_and_an_edited_file_cost_nothing() {
    let makefile = "prog: main.o rate.o\n\tcc -o prog main.o rate.o\n%.o: %.c config.h\n\tcc -c $<\nconfig.h: config.h.in\n\tsed s/@N@/3/ config.h.in > config.h\n";
    let rate = "#include \"config.h\"\nint rate(int x) {\n    return x * N;\n}\nint same(int x) {\n    return x + N;\n}\n";
    let main = "#include <stdio.h>\n#include \"config.h\"\nint rate(int), same(int);\nint main(void) {\n    printf(\"%d\\n\", rate(N));\n    printf(\"%d\\n\", same(N));\n    return 0;\n}\n";
    let repository = repository_with(&[
        ("Makefile", makefile),
        ("config.h.in", "#define N @N@\n"),
        ("rate.c", rate),
        ("main.c", main),
        ("tests/run.sh", "./prog\n"),
        (".gitignore", "*.o\nprog\nconfig.h\n.knockon\n"),
    ]);
    let here = repository.path();
    write(here, "rate.c", &rate.replace("x * N", "N * x * 2"));
    write(here, "tests/run.sh", "./prog again\n");
    commit(here);
    capture(here);
    for versions in [&["HEAD~1"][..], &["HEAD~1", "HEAD"]] {
        let report = report(here, versions);
        assert_eq!(verdict(&report, "rate.c", 6), "unaffected");
        assert_eq!(verdict(&report, "main.c", 6), "unaffected");
        assert_eq!(verdict(&report, "main.c", 5), "possible");
    }
    let equal = knockon(here, &["equiv", "-f", "same", "HEAD~1", "HEAD"]);
    assert_eq!(equal.status.code(), Some(0), "{equal:?}");
}

#[test]
fn a_unit_that_only_the_new_version_has_is_no_part_of_the_old_one() {
    let makefile = "prog: $(patsubst %.c,%.o,$(wildcard *.c))\n\tcc -o prog *.o\n";
    let main = "#include <stdio.h>\nint value(void);\nint main(void) {\n    int x = value();\n    printf(\"%d\\n\", x);\n    return 0;\n}\n";
    let repository = repository_with(&[
        ("Makefile", makefile),
        ("main.c", main),
        ("one.c", "int value(void) {\n    return 1;\n}\n"),
        (".gitignore", IGNORED),
    ]);
    let here = repository.path();
    git(here, &["rm", "-q", "one.c"]);
    write(here, "two.c", "int value(void) {\n    return 2;\n}\n");
    commit(here);
    assert_eq!(output_of(here, Some("HEAD~1")), "1\n");
    assert_eq!(output_of(here, Some("HEAD")), "2\n");
    capture(here);
    for versions in [&["HEAD~1"][..], &["HEAD~1", "HEAD"]] {
        let report = report(here, versions);
        assert_ne!(verdict(&report, "main.c", 5), "unaffected");
        assert_ne!(report["output"], "equal");
    }
}

#[test]
fn a_database_in_the_working_tree_is_no_hunk_and_stops_nothing() {
    let main = "int main(void) {\n    return 0;\n}\n";
    let repository = repository_with(&[("main.c", main)]);
    let here = repository.path();
    let entry = serde_json::json!([
        { "directory": here, "file": "main.c", "arguments": ["cc", "-c", "main.c"] }
    ]);
    write(here, "compile_commands.json", &entry.to_string());
    write(here, "knockon.toml", "[build]\ninputs = [\"x/**\"]\n");
    write(here, "main.c", &main.replace('0', "1"));
    let report = report(here, &[]);
    let hunks = report["hunks"].as_array().expect("hunks");
    assert_eq!(hunks.len(), 1, "{report:#}");
    assert_eq!(hunks[0]["file"], "main.c");
    commit(here);
    let report = super::old_files::report(here, &["HEAD~1", "HEAD"]);
    assert_eq!(report["hunks"].as_array().expect("hunks").len(), 1);
}

#[test]
fn documentation_has_no_possible_lines_and_files_of_run_time_are_named() {
    let header = "#define RATE 1\n";
    let main = "#include <stdio.h>\n#include \"rate.h\"\nint main(int argc, char **argv) {\n    FILE *file = fopen(\"words.md\", \"r\");\n    printf(\"%d\\n\", argc * RATE);\n    return file == 0;\n}\n";
    let old = [
        ("rate.h", header),
        ("main.c", main),
        ("words.md", "a\n"),
        ("README.md", "a\n"),
        ("data/t.csv", "1\n"),
    ];
    let new = [
        ("rate.h", "#define RATE 2\n"),
        ("main.c", main),
        ("words.md", "b\n"),
        ("README.md", "b\n"),
        ("data/t.csv", "2\n"),
    ];
    let repository = repository_with(&old);
    let here = repository.path();
    for (file, text) in new {
        write(here, file, text);
    }
    let report = report(here, &[]);
    assert_eq!(verdict(&report, "main.c", 5), "possible");
    assert_eq!(hunks_of(&report, "README.md")[0]["possible_lines"], 0);
    assert_ne!(hunks_of(&report, "rate.h")[0]["possible_lines"], 0);
    let assumptions = report["assumptions"].to_string();
    assert!(
        assumptions.contains("data/t.csv, words.md"),
        "{assumptions}"
    );
    assert!(!assumptions.contains("README"), "{assumptions}");
}

#[test]
fn a_hunk_without_effect_says_when_the_preprocessor_left_it_out() {
    let old = "#ifdef OTHER\n#define N 1\n#endif\n#define UNUSED 1\nint main(void) {\n    return 0; /* a */\n}\n";
    let repository = repository_with(&[("main.c", old)]);
    let here = repository.path();
    let told = |text: &str| -> (String, String) {
        write(here, "main.c", text);
        let report = report(here, &[]);
        let hunk = hunks_of(&report, "main.c")[0].clone();
        let text = |key: &str| hunk[key].as_str().unwrap_or_default().to_owned();
        (text("account"), text("message"))
    };
    let left_out = told(&old.replace("define N 1", "define N 2"));
    assert_eq!(left_out.0, "without effect");
    assert_eq!(left_out.1, "the preprocessor left text of it out");
    assert_eq!(
        told(&old.replace("UNUSED 1", "UNUSED 2")),
        ("without effect".to_owned(), String::new())
    );
    assert_eq!(told(&old.replace("/* a */", "/* b */")).0, "layout only");
}

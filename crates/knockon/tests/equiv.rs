//! `knockon equiv` as a user runs it: on the refactorings and their twins, and what it says and does.

mod refactoring_files;

use refactoring_files::{Refactoring, refactorings};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Of the refactorings so many are shown to be equivalent without a solver, at least. This only grows.
const EQUIVALENT: usize = 35;
/// Of the twins so many are seen to be different, at least. This only grows.
const DIFFERENT: usize = 110;

fn equiv(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_knockon"))
        .arg("equiv")
        .args(arguments)
        .current_dir(directory)
        .env(
            "KNOCKON_CACHE_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("equiv"),
        )
        .env("XDG_STATE_HOME", directory.join(".state"))
        .env("NO_COLOR", "1")
        .output()
        .expect("knockon runs")
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The names of all refactorings by the exit code of a comparison, on two threads.
fn by_code(judge: impl Fn(&Refactoring) -> Option<i32> + Sync) -> BTreeMap<i32, Vec<String>> {
    let all = refactorings();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut rows = Vec::new();
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            rows.push((judge(one).unwrap_or(-1), one.name.clone()));
        }
        rows
    };
    let rows: Vec<(i32, String)> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        let rows = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        rows.collect()
    });
    let mut found: BTreeMap<i32, Vec<String>> = BTreeMap::new();
    for (code, name) in rows {
        found.entry(code).or_default().push(name);
    }
    found
}

fn judge(one: &Refactoring, new: &str, effort: &str) -> Option<i32> {
    let directory = directory_with(&[("old.c", &one.old), ("new.c", new)]);
    let function = format!("{}={}", one.old_function, one.new_function);
    let arguments = ["old.c", "new.c", "-f", &function, "--effort", effort];
    equiv(directory.path(), &arguments).status.code()
}

#[test]
fn twins_are_different_and_never_equivalent() {
    let found = by_code(|one| judge(one, &one.broken, "1000000"));
    let count = |code: i32| found.get(&code).map_or(0, Vec::len);
    assert_eq!(count(0) + count(2) + count(-1), 0, "{found:?}");
    assert!(
        count(1) >= DIFFERENT,
        "{} are: {:?}",
        count(1),
        found.get(&3)
    );
}

#[test]
fn refactorings_are_never_different() {
    let found = by_code(|one| judge(one, &one.new, "1"));
    let count = |code: i32| found.get(&code).map_or(0, Vec::len);
    assert_eq!(count(1) + count(2) + count(-1), 0, "{found:?}");
    assert!(count(0) >= EQUIVALENT, "{} are", count(0));
}

const OLD: &str = "int scale(int x, const char *name) { return *name ? x & 255 : 0; }\n";
const NEW: &str = "int scale(int x, const char *name) { return *name ? x & 127 : 0; }\n";

/// The function `f`, and a file that repeats the difference.
const WITH_EXAMPLE: [&str; 6] = [
    "old.c",
    "new.c",
    "-f",
    "f",
    "--counterexample",
    "knockon-f.c",
];

#[test]
fn the_file_of_a_counterexample_shows_the_difference() {
    let directory = directory_with(&[("old.c", OLD), ("new.c", NEW)]);
    let arguments = ["old.c", "new.c", "-f", "scale", "--counterexample"];
    let arguments = [&arguments[..], &["knockon-scale.c"]].concat();
    let output = equiv(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("knockon-scale.c repeats it"));
    let outputs = outputs_of(directory.path(), "knockon-scale.c");
    assert_ne!(outputs[0], outputs[1]);
    assert!(outputs[0].starts_with("returns"));
}

/// The example carries the code of both versions, and nothing appears in a project unasked.
#[test]
fn an_example_stays_what_it_is_when_the_files_change() {
    let directory = directory_with(&[("old.c", OLD), ("new.c", NEW)]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "scale"]);
    let said = text(&output.stdout);
    let row = said.lines().find(|row| row.contains(" repeats it"));
    let file = row.and_then(|row| row.trim().split(' ').next());
    let file = file.expect("a file is named").to_owned();
    let names = std::fs::read_dir(directory.path()).expect("the directory");
    let mut names: Vec<_> = names.map(|entry| entry.expect("one").file_name()).collect();
    names.sort();
    assert_eq!(names, ["new.c", "old.c"]);
    std::fs::write(directory.path().join("new.c"), OLD).expect("a file");
    std::fs::write(directory.path().join("old.c"), "").expect("a file");
    let outputs = outputs_of_its_commands(directory.path(), &file);
    assert_ne!(outputs[0], outputs[1]);
}

/// The program's own `main` is what is called, with a command line.
#[test]
fn main_is_entered_with_arguments() {
    let unit = |limit: &str| {
        format!(
            "#include <stdio.h>\n#include <string.h>\nint main(int count, char **words) {{\n\
             unsigned long all = 0;\n\
             for (int i = 1; i < count; i++) all += strlen(words[i]);\n\
             printf(\"%lu\\n\", all); return all > {limit}; }}\n"
        )
    };
    let directory = directory_with(&[("old.c", &unit("5")), ("new.c", &unit("6"))]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "main"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("  main("), "{said}");
}

/// What the file of a counterexample prints for the old version and for the new one.
fn outputs_of(directory: &Path, file: &str) -> [String; 2] {
    [("old", "-DOLD"), ("new", "-DNEW")].map(|(name, define)| {
        let made = Command::new("clang-19")
            .args(["-w", "-std=c11", define, "-o", name, file])
            .current_dir(directory)
            .status();
        assert!(made.expect("clang-19 is installed").success());
        let run = Command::new(directory.join(name)).output();
        text(&run.expect("it runs").stdout)
    })
}

/// What the commands print that stand in the file of a counterexample, for the old version and for
/// the new one. Each ends as it should.
fn outputs_of_its_commands(directory: &Path, file: &str) -> Vec<String> {
    let written = std::fs::read_to_string(directory.join(file)).expect("the file");
    let commands = written
        .lines()
        .filter_map(|row| row.strip_prefix(" *     "));
    let outputs = commands.map(|command| {
        let mut shell = Command::new("sh");
        let run = shell.args(["-c", command]).current_dir(directory).output();
        let run = run.expect("a shell");
        assert!(run.status.success(), "{command}: {}", text(&run.stderr));
        assert!(run.stderr.is_empty(), "{command}: {}", text(&run.stderr));
        text(&run.stdout)
    });
    outputs.collect()
}

#[test]
fn the_commands_of_a_counterexample_run_as_they_stand() {
    let directory = directory_with(&[
        ("old.c", OLD),
        ("new.c", NEW),
        ("old/of the name of a version", ""),
        ("new/of the name of a version", ""),
    ]);
    for file in ["knockon-scale.c", "old/a file.c"] {
        let arguments = ["old.c", "new.c", "--counterexample", file];
        let output = equiv(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let outputs = outputs_of_its_commands(directory.path(), file);
        assert_eq!(outputs.len(), 2);
        assert_ne!(outputs[0], outputs[1]);
    }
}

/// Functions that are not run name what other units define.
#[test]
fn what_other_functions_of_the_unit_lack_is_not_in_the_way() {
    let old = "int add(int, int); extern int table[8]; int (*const all[])(int, int) = {add};\n\
               int f(int x) { return x & 1 ? 3 : 4; }\n\
               int unrelated(int x) { return add(x, 1) + table[2]; }\n\
               int main(void) { return all[0](1, 2); }\n";
    let new = old.replace("3 : 4", "3 : 5");
    let directory = directory_with(&[("old.c", old), ("new.c", &new)]);
    let output = equiv(directory.path(), &WITH_EXAMPLE);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let outputs = outputs_of_its_commands(directory.path(), "knockon-f.c");
    assert_ne!(outputs[0], outputs[1]);
}

/// A variable or a function that no unit defines is reached over a pointer: nothing is known of it.
#[test]
fn a_run_that_comes_to_what_is_missing_says_nothing() {
    let unit = |called: &str| {
        format!(
            "extern int table[8]; int add(int, int);\n\
             static int look(int x, int y) {{ return table[y & 7] + x; }}\n\
             static int keep(int x, int y) {{ return x; }}\n\
             int (*const all[])(int, int) = {{keep, add, look, keep}};\n\
             int f(unsigned x) {{ return all[{called}](x & 7, 1); }}\n"
        )
    };
    assert_not_different(&[("old calls it", &unit("1"), &unit("0"))]);
    assert_not_different(&[("new calls it", &unit("0"), &unit("1"))]);
    assert_not_different(&[("old reads it", &unit("2"), &unit("0"))]);
    assert_not_different(&[("new reads it", &unit("0"), &unit("2"))]);
    assert_not_different(&[("which depends", &unit("x & 3"), &unit("(x & 3) % 3"))]);
}

/// What differs is seen in what the file prints, in the words of the report.
#[test]
fn the_file_of_a_counterexample_shows_what_the_report_says() {
    let cases = [
        (
            "unsigned f(unsigned x) { return x % 2 ? 3432638618u : 1; }\n",
            ("18u", "19u"),
            [
                "returns -862328678 (0xcc99e89a)",
                "returns -862328677 (0xcc99e89b)",
            ],
        ),
        (
            "double f(int x) { return x ? 1.5 : 0; }\n",
            ("1.5", "2.5"),
            [
                "returns 1.5 (0x3ff8000000000000)",
                "returns 2.5 (0x4004000000000000)",
            ],
        ),
        (
            "const char *f(int x) { return x ? \"seven\" : \"eight\"; }\n",
            ("seven", "Seven"),
            ["returns constant \"seven\"", "returns constant \"Seven\""],
        ),
        (
            "int ask(int, char); int f(int x) { return ask(5, 'a'); }\n",
            ("'a'", "'b'"),
            ["calls ask( 5 97 )", "calls ask( 5 98 )"],
        ),
        (
            "#include <stdlib.h>\nint *f(int x) {\n\
             int *p = malloc(sizeof *p); if (p) *p = 16; return p; }\n",
            ("16", "17"),
            ["object 0 10 00 00 00 (16)", "object 0 11 00 00 00 (17)"],
        ),
        (
            "#include <stdlib.h>\nint *kept; void f(void) {\n\
             kept = malloc(sizeof *kept); if (kept) *kept = -16; }\n",
            ("-16", "-17"),
            ["object 1 f0 ff ff ff (-16)", "object 1 ef ff ff ff (-17)"],
        ),
        (
            "double rate; void f(int x) { rate = 1.0; }\n",
            ("1.0", "2.0"),
            ["(1)", "(2)"],
        ),
    ];
    for (old, (from, to), expected) in cases {
        let new = old.replace(from, to);
        let directory = directory_with(&[("old.c", old), ("new.c", &new)]);
        let output = equiv(directory.path(), &WITH_EXAMPLE);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{old}{}",
            text(&output.stdout)
        );
        let outputs = outputs_of_its_commands(directory.path(), "knockon-f.c");
        for (expected, found) in expected.iter().zip(&outputs) {
            assert!(found.contains(expected), "{old}{expected}: {found}");
        }
    }
}

#[test]
fn a_counterexample_has_what_is_read_from_a_stream() {
    let head = "#include <stdio.h>\nint f(FILE *from, FILE *to) {\n";
    let old = format!("{head}int c = fgetc(from); fprintf(to, \"%d\", c); return c == 'x'; }}\n");
    let new = old.replace("c == 'x'", "c == 'y'");
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let output = equiv(directory.path(), &WITH_EXAMPLE);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("f(stdin, stdout)"), "{said}");
    assert!(said.contains("standard input is "), "{said}");
    let outputs = outputs_of(directory.path(), "knockon-f.c");
    assert_ne!(outputs[0], outputs[1]);
}

/// What a pointer leads to is aligned and long enough for what is done with it.
#[test]
fn memory_that_is_given_suits_its_use() {
    for (old, edited, into) in [
        (
            "struct s { int a : 3; unsigned b : 5; }; int f(struct s *p) { return p->a; }\n",
            "return p->a",
            "return p->b",
        ),
        (
            "struct s { int n; int a[]; };\nint f(struct s *p) {\n\
             int s = 0; for (int i = 0; i < p->n; i++) s += p->a[i]; return s; }\n",
            "+=",
            "^=",
        ),
        (
            "int f(__int128 *p) { return *p > 5; }\n",
            "*p > 5",
            "*p > 6",
        ),
    ] {
        let new = old.replace(edited, into);
        let directory = directory_with(&[("old.c", old), ("new.c", &new)]);
        let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{old}{said}");
    }
}

#[test]
fn json_is_valid_against_its_schema() {
    let directory = directory_with(&[("old.c", OLD), ("new.c", NEW)]);
    let output = equiv(directory.path(), &["old.c", "new.c", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/knockon.equiv.1.json");
    let schema = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    assert!(jsonschema::is_valid(&schema, &value), "{value}");
    assert_eq!(value["verdict"], "different");
    assert_eq!(value["functions"][0]["name"], "scale");
    let file = value["counterexample"]["file"].as_str().expect("a file");
    assert!(file.ends_with("/knockon-scale.c"), "{file}");
}

#[test]
fn code_of_a_directory_runs_only_with_permission() {
    let directory = directory_with(&[("old/a.c", OLD), ("new/a.c", NEW)]);
    let output = equiv(directory.path(), &["path:old", "path:new"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("--allow-run allows it"));
    let output = equiv(directory.path(), &["path:old", "path:new", "--allow-run"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn a_renamed_function_is_compared_and_an_unknown_one_is_told_with_the_nearest() {
    let renamed = OLD.replace("scale", "masked");
    let directory = directory_with(&[("old.c", OLD), ("new.c", &renamed)]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "scale=masked"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("masked (was scale): equivalent"));
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "maked"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean `masked`?"));
}

#[test]
fn static_functions_globals_and_externals_are_inputs() {
    let unit = |more: &str| {
        format!(
            "extern int ask(int);\nstatic int limit = 3;\n\
             static int f(int x) {{ return ask(x) > limit{more}; }}\n\
             int g(int x) {{ return f(x); }}\n"
        )
    };
    let directory = directory_with(&[("old.c", &unit("")), ("new.c", &unit(" + 1"))]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

/// Neither version is proved to do what the other does, and both are run.
#[test]
fn the_line_of_an_assertion_the_place_of_the_tree_and_the_name_of_the_program_are_no_difference() {
    let version = |sum: &str| {
        format!(
            "#include <assert.h>\n#include <error.h>\n{sum}\n\
             unsigned f(unsigned n) {{ error(0, 0, __FILE__); assert(n < 3000); return sum(n % 3000); }}\n"
        )
    };
    let looped = version(
        "static unsigned sum(unsigned n) { unsigned s = 0; while (n) { s += n * n * n; n--; } return s; }",
    );
    let closed = version(
        "static unsigned sum(unsigned n) {\n unsigned long m = (unsigned long)n * (n + 1) / 2;\n return m * m; }",
    );
    let directory = directory_with(&[("old/a.c", &looped), ("new/a.c", &closed)]);
    let output = equiv(directory.path(), &["old/a.c", "new/a.c", "-f", "f"]);
    let said = text(&output.stdout);
    assert_ne!(output.status.code(), Some(1), "{said}");
}

#[test]
fn undefined_behaviour_of_the_old_version_is_no_difference_and_of_the_new_one_is() {
    let unit = |test: &str| {
        format!("int f(int *values, int at) {{ return at < 0{test} ? 0 : 100 / (at - 5); }}\n")
    };
    let directory = directory_with(&[("old.c", &unit("")), ("new.c", &unit(" || at == 5"))]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    assert_ne!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let output = equiv(directory.path(), &["new.c", "old.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("has undefined behaviour: division by zero"));
}

#[test]
fn a_class_of_characters_is_asked_of_characters_only() {
    let comparison = "int f(int c) { return c >= '0' && c <= '9'; }\n";
    let class = "#include <ctype.h>\nint f(int c) { return isdigit(c) != 0; }\n";
    let other = "#include <ctype.h>\nint f(int c) { return isxdigit(c) != 0; }\n";
    let files = [("a.c", comparison), ("b.c", class), ("c.c", other)];
    let directory = directory_with(&files);
    let output = equiv(directory.path(), &["a.c", "b.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let said = text(&output.stdout);
    assert!(said.contains("has undefined behaviour: isdigit of what is neither"));
    let output = equiv(directory.path(), &["b.c", "c.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn what_overflows_is_undefined_or_wraps_as_asked() {
    let old = "int f(int x) { return x + 1 > x; }\n";
    let new = "int f(int x) { return 1; }\n";
    let directory = directory_with(&[("old.c", old), ("new.c", new)]);
    let arguments = ["old.c", "new.c", "-f", "f"];
    let output = equiv(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let wrapping = [&arguments[..], &["--overflow", "wrap"]].concat();
    let output = equiv(directory.path(), &wrapping);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn compiled_code_cannot_be_asked_to_wrap() {
    let text_of = "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n";
    let directory = directory_with(&[("old.ll", text_of), ("new.ll", text_of)]);
    let output = equiv(
        directory.path(),
        &["old.ll", "new.ll", "--overflow", "wrap"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("compile it with -fwrapv"));
}

#[test]
fn a_difference_on_one_input_of_all_is_found_by_a_model() {
    let unit = |more: &str| {
        format!(
            "struct pair {{ unsigned short low; unsigned high; }};\n\
             unsigned seed;\n\
             unsigned f(unsigned a, const unsigned *b, const struct pair *p) {{\n\
                 {more}\n\
                 return a ^ *b ^ p->high ^ seed;\n\
             }}\n"
        )
    };
    let rare = "if (a * 2654435761u == 123456789u && b[1] * 40503u == 987654321u \
                && (p->low ^ p->high) == 3141592653u && seed + a == 2718281828u) return 0;";
    let old = unit("if (b[1] == 7u) return p->low;");
    let new = unit(&format!("if (b[1] == 7u) return p->low;\n{rare}"));
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn a_copy_of_a_file_under_another_name_is_the_same() {
    let unit = "#include <assert.h>\n#include <stdio.h>\n\
                int f(int x) { assert(x != 77); puts(__FILE__); return x; }\n";
    let directory = directory_with(&[("old.c", unit), ("copy/new.c", unit)]);
    let output = equiv(directory.path(), &["old.c", "copy/new.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

/// Neither version is proved to do what the other does, and both are run.
#[test]
fn the_name_of_a_single_file_and_numbers_of_lines_that_moved_are_no_difference() {
    let version = |above: &str, sum: &str, rest: &str| {
        format!(
            "#include <stdio.h>\n{above}unsigned sum(unsigned n) {{ {sum} }}\n\
             unsigned f(unsigned n) {{\n\
             fprintf(stderr, \"%s:%d\\n\", __FILE__, __LINE__);\n\
             return sum(n % 3000){rest}; }}\n"
        )
    };
    let looped = "unsigned s = 0; while (n) { s += n * n * n; n--; } return s;";
    let closed = "unsigned long m = (unsigned long)n * (n + 1) / 2; return m * m;";
    let old = version("", looped, "");
    assert_not_different(&[("the same sum", &old, &version("\n\n", closed, ""))]);
    let new = version("\n\n", closed, " + (n == 5)");
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_not_different(&[(
        "a number that is returned",
        "int f(int x) {\nreturn x ? 7 : __LINE__;\n}\n",
        "\nint f(int x) {\nreturn x ? 7 : __LINE__;\n}\n",
    )]);
}

/// Proofs and runs agree that nobody depends on the name, and the report says so.
#[test]
fn the_name_of_a_renamed_function_is_no_difference_and_is_assumed() {
    let version = |name: &str, sum: &str, rest: &str| {
        format!(
            "#include <assert.h>\n#include <stdio.h>\n\
             static unsigned {name}(unsigned n)\n{{\nassert(n < 90000);\n\
             fprintf(stderr, \"%s\\n\", __func__);\nreturn n % 3000;\n}}\n\
             unsigned sum(unsigned n) {{ {sum} }}\n\
             unsigned f(unsigned n) {{ return sum({name}(n)){rest}; }}\n"
        )
    };
    let looped = "unsigned s = 0; while (n) { s += n * n * n; n--; } return s;";
    let old = version("low", looped, "");
    let files = |new: &str| directory_with(&[("old.c", &old), ("new.c", new)]);
    let compare = |new: &str| {
        let directory = files(new);
        let arguments = ["old.c", "new.c", "-f", "f", "--assumptions"];
        let output = equiv(directory.path(), &arguments);
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = compare(&version("lowest_part", looped, ""));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("lowest_part (was low)"), "{said}");
    // What is not proved is run: the name alone is no witness, another number is one.
    let closed = "unsigned long m = (unsigned long)n * (n + 1) / 2; return m * m;";
    assert_not_different(&[("the sum", &old, &version("lowest_part", closed, ""))]);
    let (code, said) = compare(&version("lowest_part", looped, " + (n == 5)"));
    assert_eq!(code, Some(1), "{said}");
}

/// What `equiv` must not call different, old and new.
fn assert_not_different(pairs: &[(&str, &str, &str)]) {
    for (what, old, new) in pairs {
        let directory = directory_with(&[("old.c", old), ("new.c", new)]);
        let arguments = ["old.c", "new.c", "-f", "f", "--effort", "100000"];
        let output = equiv(directory.path(), &arguments);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 3)),
            "{what}: {said}"
        );
    }
}

#[test]
fn nothing_stands_in_for_functions_of_the_library() {
    assert_not_different(&[
        (
            "setjmp",
            "#include <setjmp.h>\nint f(int a) { jmp_buf b; volatile int x = 1;\n\
             if (setjmp(b)) return x; x = a; if (a != 0) longjmp(b, 1); return 0; }\n",
            "int f(int a) { return a; }\n",
        ),
        (
            "a function that the source says returns twice",
            "int again(void) __attribute__((returns_twice));\n\
             int f(int a) { return again() ? 1 : a; }\n",
            "int f(int a) { return a; }\n",
        ),
        (
            "time writes what it returns",
            "#include <time.h>\nint f(void) { return time(0) & 1; }\n",
            "#include <time.h>\nint f(void) { time_t t; time(&t); return t & 1; }\n",
        ),
    ]);
}

#[test]
fn an_old_version_without_a_meaning_is_no_difference() {
    assert_not_different(&[
        (
            "a pointer that wraps around",
            "int f(char *p, unsigned long n) { return p + n < p; }\n",
            "int f(char *p, unsigned long n) { return 0; }\n",
        ),
        (
            "a number that does not fit",
            "int f(double d) { return (int)d; }\n",
            "int f(double d) { return d >= 2147483648.0 || d <= -2147483649.0 || d != d\n\
             ? 5 : (int)d; }\n",
        ),
        (
            "a variable after its block",
            "int f(int a) { int *p; { int x = a; p = &x; } return *p; }\n",
            "int f(int a) { return 5; }\n",
        ),
        (
            "a variable without a value",
            "int f(int a) { int x; if (a) x = a; return x; }\n",
            "int f(int a) { return a ? a : 77; }\n",
        ),
        (
            "an object without a value",
            "#include <stdlib.h>\nint f(int a) { int *x = malloc(4); if (!x) return a;\n\
             if (a) *x = a; int r = *x; free(x); return r; }\n",
            "#include <stdlib.h>\nint f(int a) { int *x = malloc(4); if (!x) return a;\n\
             *x = a; int r = *x; free(x); return a ? r : 9; }\n",
        ),
        (
            "what restrict says is not shared",
            "void f(int *restrict p, int *restrict q) { *p = 1; *q = 2; }\n",
            "void f(int *restrict p, int *restrict q) { *q = 2; *p = 1; }\n",
        ),
        (
            "a left shift that clang gives a meaning",
            "int f(int x) { int s = 0;\n\
             for (unsigned b = (unsigned)x << 3; b; b >>= 1) s += b & 1; return s; }\n",
            "int f(int x) { int s = 0;\n\
             for (unsigned b = x << 3; b; b &= b - 1) s++; return s; }\n",
        ),
        (
            "a class of what is no character",
            "#include <ctype.h>\nint f(int c) { return isdigit(c) ? c - '0' : -1; }\n",
            "int f(int c) { return c >= '0' && c <= '9' ? c - '0' : -1; }\n",
        ),
        (
            "a letter of what is no character",
            "#include <ctype.h>\nint f(char *s) { int n = 0;\n\
             for (; *s; s++) n += isupper(*s) ? tolower(*s) : *s; return n; }\n",
            "int f(char *s) { int n = 0;\n\
             for (; *s; s++) n += *s >= 'A' && *s <= 'Z' ? *s + 32 : *s; return n; }\n",
        ),
        (
            "an assumption that does not hold",
            "int f(int x) { __builtin_assume(x >= 0); return 0; }\n",
            "int f(int x) { return (float)x < 0.0f; }\n",
        ),
    ]);
}

#[test]
fn what_the_runs_set_up_is_no_difference() {
    assert_not_different(&[
        (
            "a table of one file that nothing writes",
            "static int table[4] = { 1, 2, 4, 8 };\nint f(int i) { return table[i & 3]; }\n",
            "static int table[4] = { 1, 2, 4, 8 };\nint f(int i) { return 1 << (i & 3); }\n\
             int g(void) { return table[0]; }\n",
        ),
        (
            "names in a table",
            "static const char *names[] = { \"no\", \"yes\" };\n\
             const char *f(int i) { return names[i != 0]; }\n",
            "static const char *names[] = { \"no\", \"yes\" };\n\
             const char *f(int i) { return i ? \"yes\" : \"no\"; }\n\
             const char *g(void) { return names[0]; }\n",
        ),
        (
            "a pointer that nobody set",
            "#include <stdlib.h>\nstruct n { struct n *next; int v; };\n\
             int length(const struct n *l) { int k = 0; for (; l; l = l->next) k++; return k; }\n\
             struct n *f(int v) { struct n *n = malloc(sizeof *n); if (n) n->v = v; return n; }\n",
            "#include <stdlib.h>\nstruct n { struct n *next; int v; };\n\
             int length(const struct n *l) { int k = 0; for (; l; l = l->next) k++; return k; }\n\
             struct n *f(int v) { struct n *n = malloc(sizeof *n);\n\
             if (n) { n->v = v; n->next = 0; } return n; }\n",
        ),
        (
            "copies of a text",
            "#include <string.h>\nchar *f(const char *s) { return strdup(s); }\n",
            "#include <string.h>\nchar *f(const char *s) { return strndup(s, strlen(s)); }\n",
        ),
        (
            "many allocations",
            "#include <stdlib.h>\nchar *f(unsigned n) { if (n > 4000) n = 4000;\n\
             char *p = malloc(1); if (!p) return 0;\n\
             for (unsigned i = 0; i < n; i++) { char *q = realloc(p, i + 2);\n\
             if (!q) { free(p); return 0; } p = q; p[i] = 'x'; } p[n] = 0; return p; }\n",
            "#include <stdlib.h>\n#include <string.h>\n\
             char *f(unsigned n) { if (n > 4000) n = 4000;\n\
             char *p = malloc(n + 1); if (!p) return 0; memset(p, 'x', n); p[n] = 0; return p; }\n",
        ),
        (
            "no bytes of what was allocated",
            "#include <stdlib.h>\nvoid *f(void *p, size_t n) {\n\
             if (n == 0) { free(p); return 0; } return realloc(p, n); }\n",
            "#include <stdlib.h>\nvoid *f(void *p, size_t n) {\n\
             if (p == 0 && n == 0) return 0; return realloc(p, n); }\n",
        ),
        (
            "where a buffer lies",
            "void emit(const int *s, int n);\n\
             void f(void) { const int b[] = { 1, 2, 3 }; emit(b, 3); }\n",
            "void emit(const int *s, int n);\n\
             void f(void) { static const int b[] = { 1, 2, 3 }; emit(b, 3); }\n",
        ),
        (
            "names that a linker knows",
            "const char *f(int x) { return x > 0 ? \"more\" : x < 0 ? \"less\" : \"zero\"; }\n",
            "int end(int x) { return x < 0; }\nconst char *f(int x) {\n\
             static const char *t[] = { \"less\", \"zero\", \"more\" };\n\
             return end(x) ? t[0] : t[1 + (x > 0)]; }\n",
        ),
        (
            "bytes that are no truth value",
            "#include <stdbool.h>\nstruct s { bool on; int x; };\n\
             void f(struct s *d, const struct s *s) { *d = *s; }\n",
            "#include <stdbool.h>\nstruct s { bool on; int x; };\n\
             void f(struct s *d, const struct s *s) { d->on = s->on; d->x = s->x; }\n",
        ),
    ]);
}

#[test]
fn variables_that_nothing_writes_differ_by_what_is_in_them() {
    let unit = |last: &str| {
        format!(
            "static int table[4] = {{ 1, 2, 4, {last} }};\n\
             int f(int i) {{ return table[i & 3]; }}\n"
        )
    };
    let directory = directory_with(&[("old.c", &unit("8")), ("new.c", &unit("9"))]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    // The new version writes it, which is seen.
    let unit = |statement: &str| {
        format!(
            "static int last = 7;\nint look(void) {{ return last; }}\n\
             int f(int i) {{ {statement}return last + i; }}\n"
        )
    };
    let files = [
        ("old.c", &*unit("")),
        ("new.c", &*unit("if (i == 7) last = 7 - i; ")),
    ];
    let directory = directory_with(&files);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn what_no_caller_may_look_at_is_no_difference() {
    assert_not_different(&[
        (
            "bytes between members",
            "#include <string.h>\nstruct s { char c; int i; }; void show(struct s);\n\
             struct s f(int a) { struct s r; memset(&r, 0, sizeof r);\n\
             r.c = a; r.i = 1; show(r); return r; }\n",
            "#include <string.h>\nstruct s { char c; int i; }; void show(struct s);\n\
             struct s f(int a) { struct s r; memset(&r, 85, sizeof r);\n\
             r.c = a; r.i = 1; show(r); return r; }\n",
        ),
        (
            "more room than before",
            "#include <string.h>\nchar *f(const char *s) { return strdup(s); }\n",
            "#include <stdlib.h>\n#include <string.h>\n\
             char *f(const char *s) { size_t n = strlen(s) + 1; char *p = malloc(n + 16);\n\
             if (p) memcpy(p, s, n); return p; }\n",
        ),
    ]);
}

/// Each input would run to its own limit, thousands of them.
#[test]
fn functions_that_do_not_end_are_run_no_longer_than_the_budget() {
    let head = "#include <stdio.h>\n";
    let old = format!("{head}void f(int a) {{ for (;;) putchar(a); }}\n");
    let new = format!("{head}void f(int a) {{ for (;;) putchar(a + 1); }}\n");
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let begin = Instant::now();
    let output = equiv(
        directory.path(),
        &["old.c", "new.c", "-f", "f", "--budget", "4s"],
    );
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(begin.elapsed() < Duration::from_secs(25), "{said}");
    assert!(!said.contains("4000 inputs were run"), "{said}");
}

/// Who calls the old function would call the new one wrongly.
#[test]
fn a_function_that_is_called_in_another_way_is_not_equivalent() {
    let pairs = [
        (
            "long f(int a, long b) { return a - b; }",
            "long f(long b, int a) { return a - b; }",
        ),
        (
            "float f(float *p) { return *p; }",
            "int f(int *p) { return *p; }",
        ),
        (
            "unsigned char f(int x) { return x; }",
            "signed char f(int x) { return x; }",
        ),
        (
            "int f(int a, int b) { return a - b; }",
            "__attribute__((ms_abi)) int f(int a, int b) { return a - b; }",
        ),
        (
            "__attribute__((ms_abi)) int f(int a) { return a; }",
            "__attribute__((preserve_most)) int f(int a) { return a; }",
        ),
        (
            "int f(int a) { return a; }",
            "int f(long z, int a) { return a; }",
        ),
        (
            "void f(int *p, int *q) { *p = 1; }",
            "void f(int *restrict p, int *restrict q) { *p = 1; }",
        ),
    ];
    for (old, new) in pairs {
        let directory = directory_with(&[("old.c", old), ("new.c", new)]);
        let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{old}\n{new}\n{said}");
    }
    let old =
        "static int f(int a, int unused) { return a * 3; }\nint g(int n) { return f(n, 2); }\n";
    let new = "static int f(int a) { return a + a + a; }\nint g(int n) { return f(n); }\n";
    let directory = directory_with(&[("old.c", old), ("new.c", new)]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

/// Two constants whose first values lead to each other.
#[test]
fn constants_that_point_to_each_other_are_no_endless_walk() {
    let version = |condition: &str| {
        format!(
            "struct link {{ const struct link *next; int value; }};
extern const struct link two;
static const struct link one = {{&two, 1}};
const struct link two = {{&one, 2}};
int walk(int n) {{
    const struct link *at = &one;
    while ({condition}) at = at->next;
    return at->value;
}}
"
        )
    };
    let (old, new) = (version("n-- > 0"), version("0 < n--"));
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let found = equiv(directory.path(), &["old.c", "new.c", "-f", "walk"]);
    let code = found.status.code();
    assert!(matches!(code, Some(0 | 3)), "{}", text(&found.stderr));
}

#[test]
fn a_function_of_assembly_is_not_the_same_when_its_text_is_another() {
    let unit = |number: u32| {
        format!(
            "extern int q(void);\n__asm__(\".globl q\\nq: movl ${number},%eax\\n ret\\n\");\n\
             int f(void) {{ return q(); }}\n"
        )
    };
    let directory = directory_with(&[("old.c", &unit(1)), ("new.c", &unit(2))]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let output = equiv(directory.path(), &["old.c", "old.c", "-f", "f"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn an_alias_is_followed_and_an_ifunc_is_refused() {
    let unit = |sum: &str| {
        format!(
            "int f(int a) {{ return {sum}; }}\nint g(int) __attribute__((alias(\"f\")));\n\
             static int (*choose(void))(int) {{ return f; }}\n\
             int h(int) __attribute__((ifunc(\"choose\")));\n"
        )
    };
    let directory = directory_with(&[("old.c", &unit("a + a")), ("new.c", &unit("2 * a"))]);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "g"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "h"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("what its resolver chooses"));
}

#[test]
fn functions_of_one_version_only_are_unknown_and_static_ones_are_named() {
    let old = "int gone(int x) { return x * 7 % 3; }\nint before(int x) { return x; }\nstatic int one(void) { return 1; }\nint kept(int x) { return x + one(); }\n";
    let new = "int kept(int x) { return x + 1; }\nint after(int x) { return x; }\nint added(int *x) { return *x / 9 + x[1]; }\n";
    let directory = directory_with(&[("old.c", old), ("new.c", new)]);
    let output = equiv(directory.path(), &["old.c", "new.c"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    for wanted in [
        "gone: unknown\n  only the old version has it",
        "added: unknown\n  only the new version has it",
        "before: unknown\n  only the old version has it; `after` may be what became of it",
        "kept: equivalent",
        "only the old version has `one`, which is static",
    ] {
        assert!(said.contains(wanted), "{said}");
    }
    let broken = directory_with(&[("old.c", "int kept( {\n"), ("new.c", new)]);
    let said = text(&equiv(broken.path(), &["old.c", "new.c"]).stdout);
    assert!(!said.contains("no function changed"), "{said}");
}

#[test]
fn another_first_value_of_a_variable_is_told_beside_the_verdict() {
    let old = "int next(void) { static int count = 1; return count++; }\n";
    let new = old.replace("= 1", "= 2");
    let directory = directory_with(&[("old.c", old), ("new.c", &new)]);
    for format in ["terminal", "json", "markdown"] {
        for function in [&["-f", "next"][..], &[]] {
            let arguments = [&["old.c", "new.c", "--format", format][..], function].concat();
            let output = equiv(directory.path(), &arguments);
            let said = text(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert!(said.contains("start with another one: "), "{said}");
            assert!(said.contains("count"), "{said}");
        }
    }
}

#[test]
fn that_a_loop_ends_is_not_said_to_be_proved() {
    let old = "unsigned meet(unsigned n, unsigned x) { while (n != x) n++; return n; }\n";
    let new = old.replace("n++", "n += 2");
    let directory = directory_with(&[("old.c", old), ("new.c", &new)]);
    let said = text(&equiv(directory.path(), &["old.c", "new.c"]).stdout);
    assert!(!said.contains("whether it returns,"), "{said}");
    let straight = "unsigned twice(unsigned x) { return x + x; }\n";
    let new = straight.replace("x + x", "2 * x");
    let directory = directory_with(&[("old.c", straight), ("new.c", &new)]);
    let said = text(&equiv(directory.path(), &["old.c", "new.c"]).stdout);
    assert!(said.contains("whether it returns,"), "{said}");
}

#[test]
fn a_solver_that_gave_up_is_named_with_the_option_that_helps() {
    let old = "unsigned f(unsigned x) { return x * 7u + 3u; }\n";
    let added = "if (x * 0x9E3779B1u == 0xDEADBEEFu) return 1; return x";
    let new = old.replace("return x", added);
    let directory = directory_with(&[("old.c", old), ("new.c", &new)]);
    let output = equiv(directory.path(), &["old.c", "new.c", "--effort", "300000"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("a larger --effort may decide it"), "{said}");
}

#[test]
fn the_budget_ends_runs_of_slow_functions() {
    let old = "unsigned f(unsigned n) { return (unsigned)((unsigned long)n * (n + 1ul) / 2); }\n";
    let new = "unsigned f(unsigned n) { unsigned s = 0; for (unsigned i = 0; i <= n; i++) s += i; return s; }\n";
    let directory = directory_with(&[("old.c", new), ("new.c", old)]);
    let begun = Instant::now();
    equiv(directory.path(), &["old.c", "new.c", "--budget", "4s"]);
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(10), "{taken:?}");
}

#[test]
fn a_counterexample_that_cannot_be_written_leaves_the_verdict() {
    let directory = directory_with(&[("old.c", OLD), ("new.c", NEW)]);
    let arguments = ["old.c", "new.c", "--counterexample", "missing/x.c"];
    let output = equiv(directory.path(), &arguments);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("missing/x.c cannot be written: No such file"),
        "{said}"
    );
    let output = equiv(directory.path(), &["old.c", "new.c", "--solver", "nosuch"]);
    assert!(text(&output.stderr).contains("there is no such program"));
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", ""]);
    assert!(text(&output.stderr).contains("-f wants the name of a function"));
}

/// What the program defines in the library's place is what clearing and copying of memory enter.
#[test]
fn what_goes_through_the_programs_own_functions_is_not_equivalent() {
    let unit = |memset: &str, free: &str| {
        format!(
            "#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n\
             struct wide {{ int fields[64]; }}; int released;\n\
             void *memset(void *to, int value, size_t size) {{\n\
             volatile unsigned char *bytes = to;\n\
             while (size) bytes[--size] = (unsigned char)(value + {memset});\n\
             return to; }}\n\
             void *memcpy(void *to, const void *from, size_t size) {{\n\
             volatile unsigned char *bytes = to; const unsigned char *given = from;\n\
             while (size) {{ size--; bytes[size] = given[size] + {memset}; }}\n\
             return to; }}\n\
             void free(void *given) {{ released += {free}; }}\n\
             int cleared(int at) {{ struct wide all = {{0}}; return all.fields[at & 63]; }}\n\
             void assigned(struct wide *to, struct wide *from) {{ *to = *from; }}\n\
             int resized(char *text) {{ return realloc(text, 9) != 0 ? released : 0; }}\n"
        )
    };
    let files = [
        ("old.c", &unit("0", "1")[..]),
        ("new.c", &unit("1", "2")[..]),
    ];
    let directory = directory_with(&files);
    for function in ["cleared", "assigned", "resized"] {
        let output = equiv(directory.path(), &["old.c", "new.c", "-f", function]);
        assert_ne!(output.status.code(), Some(0), "{}", text(&output.stdout));
    }
    // Without a change they are what they were.
    let files = [
        ("old.c", &unit("0", "1")[..]),
        ("new.c", &unit("0", "1")[..]),
    ];
    let directory = directory_with(&files);
    let output = equiv(directory.path(), &["old.c", "new.c", "-f", "assigned"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn what_nobody_knows_is_not_shown_by_its_name() {
    let unknown = |name: &str| {
        format!("define double @f(double %a) {{\n  %r = {name} double %a\n  ret double %r\n}}\n")
    };
    let variadic = |operands: &str| {
        format!(
            "define double @f(ptr %l) {{\n  %a = va_arg ptr %l, double\n  \
             %b = va_arg ptr %l, double\n  %r = fsub double {operands}\n  ret double %r\n}}\n"
        )
    };
    for (old, new) in [
        (unknown("blend"), unknown("otherwise")),
        (variadic("%a, %b"), variadic("%b, %a")),
    ] {
        let directory = directory_with(&[("old.ll", &old), ("new.ll", &new)]);
        let output = equiv(directory.path(), &["old.ll", "new.ll", "-f", "f"]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    }
}

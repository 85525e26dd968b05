//! `diff`, `why` and `slice`: exit codes, what they say of two versions, and git.

use super::{directory_with, git, knockon, repository_with, root, stderr, stdout};
use std::path::Path;
use std::process::Output;

/// Two versions of a file: `twice` is changed, and `other` has nothing to do with it.
const OLD: &str = "int limit = 10;
int twice(int x) {
    return x * 2;
}
int other(int y) {
    return y + 1;
}
int main(int argc, char **argv) {
    int a = twice(argc);
    int b = other(argc);

    return a > limit ? b : 0;
}
";

fn two_versions() -> tempfile::TempDir {
    let new = OLD.replace("x * 2", "x * 3");
    directory_with(&[("old.c", OLD), ("new.c", &new)])
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

/// Lines with a verdict, as `FILE:LINE`.
fn lines_with(report: &serde_json::Value, verdict: &str) -> Vec<String> {
    let lines = report["lines"].as_array().expect("lines");
    let those = lines.iter().filter(|row| row["verdict"] == verdict);
    let place = |row: &serde_json::Value| {
        let file = row["file"].as_str().expect("a file");
        format!("{file}:{}", row["line"])
    };
    those.map(place).collect()
}

/// What `diff` says as JSON, whatever its exit code.
fn diff_json(directory: &Path, arguments: &[&str]) -> serde_json::Value {
    let all = [&["diff"], arguments, &["--format", "json"]].concat();
    json(&knockon(directory, &all))
}

#[test]
fn diff_gives_every_line_of_two_files_a_verdict() {
    let directory = two_versions();
    let report = diff_json(directory.path(), &["old.c", "new.c"]);
    assert_eq!(lines_with(&report, "changed"), ["new.c:3"]);
    assert_eq!(lines_with(&report, "possible"), ["new.c:9", "new.c:12"]);
    assert_eq!(lines_with(&report, "unaffected"), ["new.c:6", "new.c:10"]);
    assert_eq!(report["output"], "possible");
}

#[test]
fn levels_only_ever_shrink_what_is_possible() {
    let directory = two_versions();
    let level = |level: &str| {
        let arguments = ["old.c", "new.c", "--level", level];
        let report = diff_json(directory.path(), &arguments);
        lines_with(&report, "possible")
    };
    let coarse = level("execute-after");
    let fine = level("dataflow");
    assert!(fine.iter().all(|line| coarse.contains(line)));
    assert!(fine.len() < coarse.len(), "{fine:?} {coarse:?}");
}

const CHECKED: &str = "int state;
int step(int x) {
    int before = state;
    state = x + 1;
    return before;
}
int main(int argc, char **argv) {
    int a = step(argc);
    int b = a * 7;
    if (state > 3)
        b = argc;
    return b;
}
";

#[test]
fn the_coarse_map_takes_all_of_a_changed_function_and_loses_nothing() {
    let new = CHECKED.replace("x + 1", "x + 2");
    let directory = directory_with(&[("old.c", CHECKED), ("new.c", &new)]);
    let possible = |more: &[&str]| {
        let arguments = [&["old.c", "new.c"], more].concat();
        lines_with(&diff_json(directory.path(), &arguments), "possible")
    };
    let (fine, coarse) = (possible(&[]), possible(&["--coarse"]));
    assert!(fine.iter().all(|line| coarse.contains(line)));
    let only_coarse = "new.c:8".to_owned();
    assert!(
        coarse.contains(&only_coarse) && !fine.contains(&only_coarse),
        "what `step` returns is the same: {fine:?} {coarse:?}"
    );
}

#[test]
fn scores_rank_values_above_what_only_runs_or_not() {
    let new = CHECKED.replace("x + 1", "x + 2");
    let directory = directory_with(&[("old.c", CHECKED), ("new.c", &new)]);
    let report = diff_json(directory.path(), &["old.c", "new.c"]);
    let lines = report["lines"].as_array().expect("lines");
    let score = |line: u64| {
        let row = lines.iter().find(|row| row["line"] == line);
        row.and_then(|row| row["score"].as_f64()).expect("a score")
    };
    let (changed, uses, runs, unaffected) = (score(4), score(10), score(11), score(9));
    assert_eq!((changed, unaffected), (1.0, 0.0));
    assert!(1.0 > uses && uses > runs && runs > 0.0, "{uses} {runs}");
}

#[test]
fn fail_on_turns_a_verdict_into_exit_code_1() {
    let directory = two_versions();
    let code = |old: &str, what: &str| {
        let arguments = ["diff", old, "new.c", "--fail-on", what];
        knockon(directory.path(), &arguments).status.code()
    };
    assert_eq!(code("old.c", "possible"), Some(1));
    assert_eq!(code("old.c", "changed"), Some(1));
    assert_eq!(code("old.c", "affected"), Some(0), "no run was compared");
    assert_eq!(code("old.c", "caveat"), Some(0));
    assert_eq!(code("new.c", "possible"), Some(0), "nothing changed");
    assert_eq!(code("new.c", "changed"), Some(0));
}

#[test]
fn diff_analyses_the_rest_when_a_unit_does_not_compile() {
    let new = OLD.replace("x * 2", "x * 3");
    let broken = "int broken( {\n";
    let directory = directory_with(&[
        ("old/a.c", OLD),
        ("old/b.c", broken),
        ("new/a.c", &new),
        ("new/b.c", broken),
    ]);
    let arguments = ["diff", "old", "new", "--format", "json"];
    let output = knockon(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("b.c:1:"), "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["complete"], false);
    assert_eq!(lines_with(&report, "changed"), ["a.c:3"]);
    let caveats = report["caveats"].as_array().expect("caveats");
    assert!(caveats.iter().any(|caveat| caveat["kind"] == "unit-failed"));
    let allowed = [&arguments[..], &["--allow-incomplete"]].concat();
    assert_eq!(
        knockon(directory.path(), &allowed).status.code(),
        Some(0),
        "accepted on request"
    );
}

#[test]
fn nothing_is_unaffected_while_a_unit_with_a_change_cannot_be_read() {
    let directory = directory_with(&[
        ("old/a.c", OLD),
        ("old/b.c", "#include \"lost.h\"\nint one;\n"),
        ("new/a.c", OLD),
        ("new/b.c", "#include \"lost.h\"\nint two;\n"),
    ]);
    let arguments = ["diff", "old", "new", "--format", "json"];
    let output = knockon(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    let report = json(&output);
    assert_eq!(lines_with(&report, "unaffected"), Vec::<String>::new());
    assert!(!lines_with(&report, "possible").is_empty());
    assert_ne!(report["output"], "equal");
}

/// A unit whose text is known touches what it names, also while it does not compile.
#[test]
fn a_unit_that_does_not_compile_leaves_the_rest_with_its_verdicts() {
    let broken = |words: &str| format!("int other(int);\nint unused(int x) {{ return {words} }}\n");
    let (old, new) = (broken("other(x);"), broken("other(x"));
    let directory = directory_with(&[
        ("old/a.c", OLD),
        ("old/b.c", &old),
        ("new/a.c", OLD),
        ("new/b.c", &new),
    ]);
    for versions in [["old", "new"], ["new", "old"]] {
        let arguments = [&["diff"], &versions[..], &["--format", "json"]].concat();
        let output = knockon(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let report = json(&output);
        // `twice` is named nowhere in that unit.
        let unaffected = lines_with(&report, "unaffected");
        assert!(unaffected.contains(&"a.c:3".to_owned()), "{unaffected:?}");
        assert_ne!(report["output"], "equal");
        let shown = [&["diff"], &versions[..]].concat();
        let text = String::from_utf8_lossy(&knockon(directory.path(), &shown).stdout).into_owned();
        // The answer, then what is missing.
        let (answer, missing) = (text.find("may behave"), text.find("could not be read"));
        assert!(answer.is_some() && answer < missing, "{text}");
    }
}

#[test]
fn why_gives_the_chain_to_a_line_or_what_cuts_it_off() {
    let directory = two_versions();
    let why = |place: &str| {
        let arguments = ["why", place, "old.c", "new.c"];
        stdout(&knockon(directory.path(), &arguments))
    };
    let text = why("new.c:12");
    let (source, hit) = (
        text.find("new.c:3 "),
        text.find("  new.c:12 uses what `twice`"),
    );
    assert!(source.is_some() && source < hit, "{text}");
    let text = why("new.c:10");
    assert!(text.contains("unaffected"), "{text}");
    assert!(text.contains("nothing that it uses depends on"), "{text}");
}

#[test]
fn a_line_without_code_or_an_unknown_file_names_the_nearest() {
    let directory = two_versions();
    let versions = ["old.c", "new.c"];
    for (command, rest) in [("why", &versions[..]), ("slice", &["-p", "new.c"])] {
        for (place, advice) in [
            ("nwe.c:10", "did you mean `new.c`"),
            ("new.c", "is not FILE:LINE"),
        ] {
            let arguments = [&[command, place], rest].concat();
            let output = knockon(directory.path(), &arguments);
            assert_eq!(output.status.code(), Some(2), "{command} {place}");
            assert!(stderr(&output).contains(advice), "{}", stderr(&output));
        }
    }
    let output = knockon(directory.path(), &["slice", "new.c:11", "-p", "new.c"]);
    assert_eq!(output.status.code(), Some(2));
    let advice = "the nearest line with code is 10";
    assert!(stderr(&output).contains(advice), "{}", stderr(&output));
}

#[test]
fn why_answers_for_functions_and_for_the_nearest_line_with_code() {
    let directory = two_versions();
    let why = |place: &str| knockon(directory.path(), &["why", place, "old.c", "new.c"]);
    let output = why("new.c:11");
    assert!(stdout(&output).starts_with("new.c:10 in "), "{output:?}");
    let note = "line 11 of new.c has no code; this is the nearest line with code";
    assert!(stderr(&output).contains(note), "{}", stderr(&output));
    let text = stdout(&why("new.c:main"));
    assert!(text.contains(" in main: "), "{text}");
    let output = why("new.c:mian");
    assert_eq!(output.status.code(), Some(2));
    let advice = "new.c has no function mian with code here; did you mean `main`";
    assert!(stderr(&output).contains(advice), "{}", stderr(&output));
}

#[test]
fn slices_of_a_line_go_both_ways() {
    let directory = two_versions();
    let slice = |more: &[&str]| {
        let arguments = ["slice", "new.c:10", "-p", "new.c", "--format", "json"];
        let report = json(&knockon(directory.path(), &[&arguments, more].concat()));
        assert_eq!(report["schema"], "knockon.slice/1");
        let lines = report["lines"].as_array().expect("lines").clone();
        let numbers = lines.iter().filter_map(|row| row["line"].as_u64());
        numbers.collect::<Vec<_>>()
    };
    let forward = slice(&[]);
    assert!(
        forward.contains(&12) && !forward.contains(&9),
        "{forward:?}"
    );
    let backward = slice(&["--backward"]);
    assert!(
        backward.contains(&6) && !backward.contains(&3),
        "{backward:?}"
    );
    assert!(!backward.contains(&12), "{backward:?}");
}

/// Every format is written, and to a file where one is named.
#[test]
fn diff_speaks_all_formats() {
    let directory = two_versions();
    for (format, sign) in [
        ("terminal", " changed ("),
        ("json", "\"schema\": \"knockon.diff/1\""),
        ("sarif", "sarif-2.1.0.json"),
        ("html", "<!DOCTYPE html>"),
        ("github", "::warning file=new.c,line=9"),
        ("markdown", "### Knockon"),
        ("dot", "digraph"),
    ] {
        let arguments = ["diff", "old.c", "new.c", "--format", format];
        let text = stdout(&knockon(directory.path(), &arguments));
        assert!(text.contains(sign), "{format}: {text}");
        let written = [&arguments[..], &["-o", "report"]].concat();
        assert_eq!(stdout(&knockon(directory.path(), &written)), "");
        let file = std::fs::read_to_string(directory.path().join("report"));
        assert_eq!(file.expect("a report"), text);
    }
}

#[test]
fn json_of_diff_and_why_validates_against_the_published_schemas() {
    let directory = two_versions();
    let versions = ["old.c", "new.c", "--format", "json"];
    for (name, command) in [
        ("diff", &["diff"][..]),
        ("why", &["why", "new.c:12"]),
        ("why", &["why", "new.c:10"]),
    ] {
        let arguments = [command, &versions].concat();
        let value = json(&knockon(directory.path(), &arguments));
        assert_eq!(value["schema"], format!("knockon.{name}/1"));
        let path = format!("schemas/knockon.{name}.1.json");
        let schema = std::fs::read_to_string(root().join(path)).expect("a schema");
        let schema = serde_json::from_str(&schema).expect("a schema in JSON");
        let validator = jsonschema::validator_for(&schema).expect("a valid schema");
        let errors = validator.iter_errors(&value).map(|error| error.to_string());
        assert_eq!(errors.collect::<Vec<_>>(), Vec::<String>::new(), "{name}");
    }
}

fn edit(directory: &Path, file: &str, from: &str, to: &str) {
    let path = directory.join(file);
    let text = std::fs::read_to_string(&path).expect("the file");
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(path, text.replace(from, to)).expect("the file");
}

const RATE_H: &str = "#define RATE 2\n";
const RATE_C: &str = "#include \"rate.h\"
int twice(int x) {
    return x * RATE;
}
";
const MAIN_C: &str = "#include <stdio.h>
int twice(int x);
int main(int argc, char **argv) {
    int a = twice(argc);
    puts(\"ready\");
    return a;
}
";

fn rates() -> tempfile::TempDir {
    repository_with(&[("rate.h", RATE_H), ("rate.c", RATE_C), ("main.c", MAIN_C)])
}

/// The macro has no place of its own in the program; its uses have.
#[test]
fn a_change_of_a_header_alone_reaches_the_units_that_include_it() {
    let repository = rates();
    edit(repository.path(), "rate.h", "2", "3");
    let report = diff_json(repository.path(), &[]);
    assert_eq!(
        lines_with(&report, "possible"),
        ["main.c:4", "main.c:6", "rate.c:3"]
    );
    assert_eq!(lines_with(&report, "unaffected"), ["main.c:5"]);
}

#[test]
fn staged_and_working_tree_are_told_apart_and_stay_as_they_are() {
    let repository = rates();
    let here = repository.path();
    edit(here, "rate.c", "x * RATE", "RATE * 5 * x");
    git(here, &["add", "rate.c"]);
    edit(here, "main.c", "ready", "steady");
    let before = git(here, &["status", "--porcelain"]);
    let staged = diff_json(here, &["--staged"]);
    assert_eq!(lines_with(&staged, "changed"), ["rate.c:3"]);
    assert_eq!(lines_with(&staged, "possible"), ["main.c:4", "main.c:6"]);
    let dirty = diff_json(here, &[]);
    assert_eq!(lines_with(&dirty, "changed"), ["main.c:5", "rate.c:3"]);
    assert_eq!(dirty["new"]["name"], "the working tree");
    assert_eq!(git(here, &["status", "--porcelain"]), before);
    assert_eq!(git(here, &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn two_revisions_are_compared_whatever_the_working_tree_holds() {
    let repository = rates();
    let here = repository.path();
    edit(here, "main.c", "ready", "steady");
    git(here, &["commit", "-q", "-a", "-m", "second"]);
    edit(here, "rate.h", "2", "3");
    for range in [&["HEAD~1..HEAD"][..], &["HEAD~1", "HEAD"]] {
        let report = diff_json(here, range);
        assert_eq!(lines_with(&report, "changed"), ["main.c:5"], "{range:?}");
        assert_eq!(lines_with(&report, "possible"), Vec::<String>::new());
    }
}

#[test]
fn what_is_both_a_path_and_a_revision_is_refused_until_it_is_said_which() {
    let repository = rates();
    let here = repository.path();
    git(here, &["branch", "main.c"]);
    let output = knockon(here, &["diff", "main.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("write `path:main.c` or `rev:main.c`"),
        "{}",
        stderr(&output)
    );
    let text = stdout(&knockon(here, &["diff", "rev:main.c"]));
    assert!(text.contains("Nothing changed."), "{text}");
    let text = stdout(&knockon(here, &["diff", "path:main.c", "path:main.c"]));
    assert!(text.contains("Nothing changed."), "{text}");
    let output = knockon(here, &["diff", "rate.c"]);
    assert!(
        stderr(&output).contains("name the new version too"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn only_narrows_what_is_shown_and_not_what_is_found() {
    let repository = rates();
    let here = repository.path();
    edit(here, "rate.c", "x * RATE", "RATE * 5 * x");
    let report = diff_json(here, &["--only", "main.c"]);
    assert_eq!(lines_with(&report, "changed"), Vec::<String>::new());
    assert_eq!(lines_with(&report, "possible"), ["main.c:4", "main.c:6"]);
    let arguments = ["diff", "--only", "main.c", "--fail-on", "changed"];
    assert_eq!(knockon(here, &arguments).status.code(), Some(1));
    let report = diff_json(here, &["--only", "m*.c", "--only", "rate.*"]);
    assert_eq!(lines_with(&report, "changed"), ["rate.c:3"]);
}

/// A file that brings a `main` of its own, unrelated to the rest.
const TOOL: &str = "#include <stdio.h>\nint main(void) { puts(\"tool\"); return 0; }\n";

#[test]
fn a_new_file_with_a_main_of_its_own_never_hides_the_others() {
    let part = |digit: u32| format!("int part(int x) {{\n    return x + {digit};\n}}\n");
    let (old, new) = (part(1), part(2));
    let program = "int part(int);\nint main(int n, char **v) { return part(n); }\n";
    // A program, and a library: with one new program and with two.
    for (main, tools) in [(true, 1), (false, 1), (false, 2), (true, 2)] {
        let mut files = vec![("old/part.c", &*old), ("new/part.c", &*new)];
        if main {
            files.extend([("old/main.c", program), ("new/main.c", program)]);
        }
        files.extend(
            [("new/tool.c", TOOL), ("new/more.c", TOOL)]
                .iter()
                .take(tools),
        );
        let directory = directory_with(&files);
        let output = knockon(directory.path(), &["diff", "old", "new", "--full"]);
        let text = stdout(&output);
        assert!(text.contains("return x + 2;"), "{main} {tools}: {text}");
        // One program in each version is the same one.
        if main || tools > 1 {
            assert!(
                text.contains("in the new version only"),
                "{main} {tools}: {text}"
            );
        }
        let back = knockon(directory.path(), &["diff", "new", "old", "--full"]);
        assert!(stdout(&back).contains("return x + 1;"), "{main} {tools}");
    }
}

/// Values come through memory, pointers to functions, returns, and code that is gone: the picture shows
/// each way.
#[test]
fn the_picture_has_an_edge_into_each_function_that_the_change_reaches() {
    let program = |factor: u32, call: &str| {
        format!(
            "#include <stdio.h>
int shared, copy;
static int by_value(int x) {{ return x * {factor}; }}
static void store(int x) {{ shared = x; }}
static int load(void) {{ return shared; }}
static int over_pointer(int x) {{ return x + 1; }}
static int (*hook)(int) = over_pointer;
static void late(int x) {{ copy = x; }}
static int reads_copy(void) {{ return copy; }}
static int through(int x) {{ return hook(x); }}
int main(int n, char **v) {{
    (void)v;
    store(by_value(n));
    {call}
    int a = load();
    int b = through(a);
    int c = reads_copy();
    printf(\"%d %d\\n\", b, c);
    return 0;
}}
"
        )
    };
    let (old, new) = (program(2, "late(n);"), program(3, ";"));
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let report = diff_json(directory.path(), &["old.c", "new.c"]);
    let rows = |name: &str| report[name].as_array().expect("rows").clone();
    let edges = rows("spread");
    let mut reached = Vec::new();
    for function in rows("functions") {
        if function["verdict"] != "possible" {
            continue;
        }
        let name = function["name"].as_str().expect("a name").to_owned();
        let has_edge = edges.iter().any(|edge| edge["to"] == name.as_str());
        assert!(has_edge, "{name}: {edges:?}");
        reached.push(name);
    }
    for name in ["load", "through", "over_pointer", "reads_copy"] {
        assert!(
            reached.iter().any(|other| other == name),
            "{name}: {reached:?}"
        );
    }
}

//! Each reason is true where it is shown.

use super::{directory_with, knockon, stdout};

/// What `why` says of a line, without caveats and assumptions.
fn why(old: &[(&str, &str)], new: &[(&str, &str)], place: &str) -> String {
    let under = |side: &str, files: &[(&str, &str)]| -> Vec<(String, String)> {
        let files = files.iter();
        files
            .map(|(name, text)| (format!("{side}/{name}"), (*text).to_owned()))
            .collect()
    };
    let all = [under("old", old), under("new", new)].concat();
    let all: Vec<(&str, &str)> = (all.iter())
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let directory = directory_with(&all);
    let text = stdout(&knockon(directory.path(), &["why", place, "old", "new"]));
    let lines = text.lines().filter(|line| !line.starts_with("assuming "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_line_of_another_file_is_named_with_its_file() {
    let cell = "int cell;\nvoid set(int x) {\n    cell = x + 1;\n}\n";
    let main = "extern int cell;\nvoid set(int);\nint main(int argc, char **argv) {\n    set(argc);\n    return cell;\n}\n";
    let new = cell.replace("x + 1", "x + 2");
    let text = why(
        &[("cell.c", cell), ("main.c", main)],
        &[("cell.c", &new), ("main.c", main)],
        "main.c:5",
    );
    assert!(
        text.contains("main.c:5 reads what cell.c:3 wrote"),
        "{text}"
    );
    let text = why(&[("cell.c", cell)], &[("cell.c", &new)], "cell.c:3");
    assert!(text.contains("cell.c:3 is changed"), "{text}");
}

const CALLED: &str = "int state;
void note(void) {
    state = 7;
}
int main(int argc, char **argv) {
    if (argc > 1)
        note();
    return state;
}
";

/// The chain begins with the call, which is where the change is, and not in the function that both
/// versions have.
#[test]
fn what_a_changed_call_enters_is_called_more_or_less_often() {
    let old = CALLED.replace("        note();\n", "        state = 1;\n");
    let text = why(&[("a.c", &old)], &[("a.c", CALLED)], "a.c:3");
    assert!(text.contains("a.c:7 is changed"), "{text}");
    assert!(
        text.contains("a.c:3 is in a function that line 7 may call more or less often"),
        "{text}"
    );
    assert!(!text.contains("only this version"), "{text}");
}

#[test]
fn what_depends_on_a_changed_call_names_the_call() {
    let old = CALLED.replace("        note();\n", "        ;\n");
    let text = why(&[("a.c", &old)], &[("a.c", CALLED)], "a.c:8");
    assert!(text.contains("a.c:7"), "{text}");
    assert!(!text.contains("initial value"), "{text}");
    assert!(!text.contains("only this version"), "{text}");
}

#[test]
fn an_initial_value_is_said_to_be_one() {
    let old = "int limit = 3;\nint main(int argc, char **argv) {\n    return argc > limit;\n}\n";
    let new = old.replace("= 3", "= 4");
    let text = why(&[("a.c", old)], &[("a.c", &new)], "a.c:3");
    assert!(
        text.contains("a.c:3 sees a variable whose initial value is changed"),
        "{text}"
    );
}

/// Its text is that of before, and the header's is not.
#[test]
fn a_line_that_nobody_edited_is_not_called_changed() {
    let main =
        "#include \"rate.h\"\nint main(int argc, char **argv) {\n    return argc * RATE;\n}\n";
    let text = why(
        &[("rate.h", "#define RATE 1\n"), ("main.c", main)],
        &[("rate.h", "#define RATE 2\n"), ("main.c", main)],
        "main.c:3",
    );
    assert!(
        text.contains("rate.h:1 is changed")
            && text.contains("main.c:3 reads `RATE` from rate.h:1, which was edited"),
        "{text}"
    );
    assert!(!text.contains("main.c:3 is changed"), "{text}");
}

/// Through another macro, from an enumerator, under a condition, and where nothing that is read was
/// edited.
#[test]
fn an_edited_definition_is_named_where_it_is_read() {
    let header = |limit: u32, kinds: &str| {
        format!("#define LIMIT {limit}\n#define ROOM (LIMIT * 2)\nenum kind {{ {kinds} }};\n")
    };
    let main = "#include \"own.h\"
int main(int argc, char **argv) {
    int room = argc +
        ROOM;
    int kind = argc == LOUD;
#if LIMIT > 11
    kind += argc * 3;
#endif
    return kind + room;
}
";
    let (old, new) = (header(10, "QUIET, LOUD"), header(12, "QUIET, LOW, LOUD"));
    let said = |place: &str| {
        why(
            &[("own.h", &old), ("main.c", main)],
            &[("own.h", &new), ("main.c", main)],
            place,
        )
    };
    let text = said("main.c:3");
    let through = "reads `LIMIT` from own.h:1 through `ROOM`, which was edited";
    assert!(text.contains(through), "{text}");
    let text = said("main.c:5");
    assert!(
        text.contains("reads `LOUD` from own.h:3, which was edited"),
        "{text}"
    );
    let text = said("main.c:7");
    let condition = "stands under a condition on `LIMIT` from own.h:1, which was edited";
    assert!(text.contains(condition), "{text}");
    let text = said("main.c:9");
    assert!(!text.contains("main.c:9 reads `"), "{text}");
    // The definition's own line says where it leads.
    let text = said("own.h:1");
    assert!(text.starts_with("own.h:1: changed: "), "{text}");
    // A path from here does as well as one from the root of the version.
    assert_eq!(said("new/own.h:1"), text);
    assert!(
        text.contains(through) && text.contains("main.c:9"),
        "{text}"
    );
}

/// A branch writes nothing: what it decides about is not what it wrote.
#[test]
fn memory_that_a_branch_decides_about_is_not_said_to_be_written_by_it() {
    let old = "int cell;
static void set(int a) {
    if (a > 3)
        cell = 7;
}
int main(int argc, char **argv) {
    set(argc);
    return cell;
}
";
    let new = old.replace("a > 3", "a > 4");
    let text = why(&[("a.c", old)], &[("a.c", &new)], "a.c:8");
    assert!(!text.contains("what line 3 wrote"), "{text}");
    let is_true = text.contains("a.c:8 reads what line 4 wrote")
        || text.contains("a.c:8 reads memory that depends on line 3");
    assert!(is_true, "{text}");
}

/// The branch decides whether the call happens, and the call is what enters the function.
#[test]
fn a_function_is_called_from_the_line_of_the_call() {
    let old = "int cell;
static void set(void) {
    cell = 7;
}
int main(int argc, char **argv) {
    if (argc > 3)
        set();
    return cell;
}
";
    let new = old.replace("argc > 3", "argc > 4");
    let text = why(&[("a.c", old)], &[("a.c", &new)], "a.c:3");
    assert!(
        text.contains("a.c:7 runs only if line 6 decides so"),
        "{text}"
    );
    let called = "a.c:3 is in a function that line 7 may call more or less often";
    assert!(text.contains(called), "{text}");
}

/// The value of a `return` stands in a phi, which has no line of its own.
#[test]
fn a_value_that_is_returned_is_that_of_its_line() {
    let old = "static int f(int a) {
    if (a > 3)
        return 5;
    return a;
}
int main(int argc, char **argv) {
    return f(argc);
}
";
    let new = old.replace("return 5", "return 6");
    let text = why(&[("a.c", old)], &[("a.c", &new)], "a.c:7");
    assert!(text.contains("a.c:3 is changed"), "{text}");
    assert!(!text.contains("from the change"), "{text}");
}

#[test]
fn a_step_in_the_old_version_is_named_as_such_on_the_next() {
    let old = "int cell;\nint main(int argc, char **argv) {\n    cell = argc;\n    if (argc > 2)\n        cell = 5;\n    return cell;\n}\n";
    let new = old.replace("    if (argc > 2)\n        cell = 5;\n", "");
    let text = why(&[("a.c", old)], &[("a.c", &new)], "a.c:4");
    assert!(text.contains("in the old version: is changed"), "{text}");
    assert!(
        text.contains("a.c:4 is the counterpart of line 6 of the old version"),
        "{text}"
    );
}

const TABLE: &str = "#include <stdio.h>
static int f0(int a) { return a; }
static int f1(int a) { return a + 1; }
static int f2(int a) { return a * 2; }
static int f3(int a) { return a - 1; }
static int f4(int a) { return -a; }
static int (*table[])(int) = {f0, f1, f2, f3, f4};
int main(int argc, char **argv) {
    (void)argv;
    printf(\"%d\\n\", table[argc % 5](argc));
    return 0;
}
";

/// A call that may enter many functions goes through a pseudo function, which has no place.
#[test]
fn a_proof_at_a_call_of_many_functions_names_one_of_the_program() {
    let new = TABLE.replace("(argc))", "(argc | 0))");
    let text = why(&[("a.c", TABLE)], &[("a.c", &new)], "a.c:3");
    assert!(text.contains("unaffected"), "{text}");
    assert!(text.contains("proved: "), "{text}");
}

const PICKED: &str = "#include <stdio.h>
static int pick(int x) {
    if (x & 1)
        return 7;
    return 8;
}
int main(int argc, char **argv) {
    int picked = pick(argc);
    printf(\"%d\\n\", picked);
    return 0;
}
";

#[test]
fn what_uses_an_equivalent_function_is_told_that_it_returns_the_same() {
    let rewritten = "    return x % 2 ? 7 : 8;\n";
    let new = PICKED.replace(
        "    if (x & 1)\n        return 7;\n    return 8;\n",
        rewritten,
    );
    for line in ["a.c:6", "a.c:7"] {
        let text = why(&[("a.c", PICKED)], &[("a.c", &new)], line);
        assert!(
            text.contains("proved: `pick` returns the same, given the same"),
            "{text}"
        );
    }
}

/// The compiler copies it by an intrinsic, whose name is in no source.
#[test]
fn a_structure_that_is_assigned_gets_it_through_a_function_of_c() {
    let old = "struct pair { int a, b; };\nstruct pair kept;\nint main(int argc, char **argv) {\n    struct pair one = {argc, 2};\n    kept = one;\n    return kept.a;\n}\n";
    let new = old.replace("{argc, 2}", "{argc + 1, 2}");
    let text = why(&[("a.c", old)], &[("a.c", &new)], "a.c:5");
    assert!(text.contains("a.c:5 gets it through `memcpy`"), "{text}");
    assert!(!text.contains("llvm."), "{text}");
}

/// Which program a call starts is not known; one of them is another program now.
#[test]
fn a_call_that_may_start_another_program_says_that_this_one_changed() {
    let starting =
        "#include <stdlib.h>\nint main(int argc, char **argv) {\n    return system(argv[1]);\n}\n";
    let started = "int main(void) {\n    return 3;\n}\n";
    let text = why(
        &[("starting.c", starting), ("started.c", started)],
        &[
            ("starting.c", starting),
            ("started.c", &started.replace('3', "4")),
        ],
        "starting.c:3",
    );
    let words = "may start another program of the build, which is not the same as before";
    assert!(text.contains(words), "{text}");
    assert!(!text.contains("initial value"), "{text}");
}

/// The other process is the program itself, and not a variable.
#[test]
fn what_another_process_of_the_program_does_is_said_to_be_that() {
    let old = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    FILE *file = fopen(\"state\", \"a+\");
    fprintf(file, \"%d\\n\", argc);
    return system(argv[1]);
}
";
    let new = old.replace("argc);\n", "argc + 1);\n");
    let text = why(&[("a.c", old)], &[("a.c", &new)], "a.c:4");
    let words = "may see what line 5 does in another process of the program";
    assert!(text.contains(words), "{text}");
}

/// The edited line is the change, in the sentences, among the places and as data.
#[test]
fn an_edited_definition_opens_the_report() {
    let main = "#include \"own.h\"
int main(int argc, char **argv) {
    return argc > LIMIT;
}
";
    let directory = directory_with(&[
        ("old/own.h", "#define OTHER 1\n#define LIMIT 10\n"),
        ("old/main.c", main),
        ("new/own.h", "#define OTHER 2\n#define LIMIT 12\n"),
        ("new/main.c", main),
    ]);
    let diff = |format: &[&str]| {
        let arguments = [&["diff", "old", "new"], format].concat();
        stdout(&knockon(directory.path(), &arguments))
    };
    let text = diff(&[]);
    let sentence = "The definition of `LIMIT` in own.h changed, and 1 line reads it.";
    assert!(text.contains(sentence), "{text}");
    assert!(text.contains("2  changed   #define LIMIT 12"), "{text}");
    assert!(!text.contains("#define OTHER"), "nobody reads it: {text}");
    for format in ["markdown", "github", "html", "sarif"] {
        let text = diff(&["--format", format]);
        assert!(text.contains("own.h"), "{format}: {text}");
    }
    let report: serde_json::Value =
        serde_json::from_str(&diff(&["--format", "json"])).expect("JSON");
    let rows = report["definitions"].as_array().expect("rows");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["names"], serde_json::json!(["LIMIT"]));
    assert_eq!(
        (&rows[0]["file"], &rows[0]["line"]),
        (&"own.h".into(), &2.into())
    );
    assert_eq!(
        (&rows[0]["readers"], &rows[0]["verdict"]),
        (&1.into(), &"changed".into())
    );
    // Lines of code are listed by themselves.
    assert!(!report["lines"].to_string().contains("own.h\""));
}

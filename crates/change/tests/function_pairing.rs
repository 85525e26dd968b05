//! Which functions and globals pair, and how their change is named.

mod pairs;

use knockon_change::{
    FunctionStatus, HunkFate, NotCompiled, PairStatus, Side, SourceFiles, account,
    function_statuses,
};
use pairs::{TwoVersions, both, paired, paired_files};

fn status(found: &TwoVersions, name: &str) -> PairStatus {
    let program = &found.versions.new.program;
    let id = program.functions_named(name)[0];
    let pair = found.change.pair(Side::New, id).expect("it has a partner");
    pair.status
}

const SUM: &str = "int n, k; for (n = 0, k = 0; k < a; k++) n += k * 3 + 1; return n ^ a;";

#[test]
fn a_changed_body_is_changed_and_others_are_the_same() {
    let found = paired(
        "int f(int a) { return a; }\nint g(int a) { return a; }",
        "int f(int a) { return a + 1; }\nint g(int a) { return a; }",
    );
    assert_eq!(status(&found, "f"), PairStatus::Changed);
    assert_eq!(status(&found, "g"), PairStatus::Same);
}

#[test]
fn a_renamed_function_is_known_by_its_body_and_its_calls_are_the_same() {
    let text = |name: &str| {
        format!("static int {name}(int a) {{ {SUM} }}\nint f(int a) {{ return {name}(a); }}")
    };
    let found = paired(&text("before"), &text("after"));
    assert_eq!(status(&found, "after"), PairStatus::Renamed);
    assert_eq!(status(&found, "f"), PairStatus::Same);
}

#[test]
fn a_renamed_recursive_function_that_changed_is_known_by_similarity() {
    let text = |name: &str, by: u32| {
        format!("int {name}(int a) {{ if (a > {by}) return {name}(a - 1); {SUM} }}")
    };
    let found = paired(&text("before", 4), &text("after", 5));
    assert_eq!(status(&found, "after"), PairStatus::Renamed);
}

#[test]
fn a_static_function_that_moved_to_another_file_is_moved() {
    let helper = format!("static int helper(int a) {{ {SUM} }}\n");
    let user = "int use(int a) { return helper(a); }\n".to_owned();
    let other = "int other(int a) { return a; }\n".to_owned();
    let found = paired_files(
        &[("a.c", &(helper.clone() + &user)), ("b.c", &other)],
        &[("a.c", ""), ("b.c", &(helper + &user + &other))],
    );
    assert_eq!(status(&found, "helper"), PairStatus::Moved);
    assert!(found.has_no_source_node(), "{:?}", found.source_lines());
}

#[test]
fn static_functions_of_one_name_pair_by_their_files() {
    let text = |by: u32, user: &str| {
        format!("static int s(int a) {{ return a * {by}; }}\nint {user}(int a) {{ return s(a); }}")
    };
    let found = paired_files(
        &[("a.c", &text(2, "f")), ("b.c", &text(3, "g"))],
        &[("b.c", &text(3, "g")), ("a.c", &text(2, "f"))],
    );
    assert!(found.is_empty(), "{:?}", found.source_lines());
}

#[test]
fn an_added_parameter_changes_the_function_and_its_calls() {
    let found = paired(
        "static int s(int a) {\nreturn a;\n}\nint f(int a) {\nreturn s(a);\n}",
        "static int s(int a, int b) {\nreturn a;\n}\nint f(int a) {\nreturn s(a, 1);\n}",
    );
    let lines = found.source_lines();
    assert!(lines.contains(&5) && !lines.contains(&2), "{lines:?}");
    assert_eq!(status(&found, "s"), PairStatus::Changed);
    let id = found.versions.new.program.functions_named("s")[0];
    let pair = found.change.pair(Side::New, id).expect("a pair");
    assert_eq!(pair.partner_of_parameter(Side::New, 0), Some(0));
    assert_eq!(pair.partner_of_parameter(Side::New, 1), None);
}

#[test]
fn swapped_parameters_change_every_mention() {
    let found = paired(
        "int s(int a, char *b) { return a; }\nint (*p)(int, char *) = s;",
        "int s(char *b, int a) { return a; }\nint (*p)(char *, int) = s;",
    );
    assert_eq!(found.change.globals.len(), 1);
}

#[test]
fn a_changed_initialiser_is_a_global_change() {
    let found = paired(
        "int g = 1, h = 2; int f(void) { return g + h; }",
        "int g = 1, h = 3; int f(void) { return g + h; }",
    );
    assert!(found.has_no_source_node());
    let [change] = found.change.globals[..] else {
        panic!("one global changed");
    };
    let program = &found.versions.new.program;
    let new = &program.globals[change.new.expect("it is in both").index()];
    assert_eq!(program.name(new.name), "h");
    assert!(change.old.is_some());
}

#[test]
fn an_initialiser_that_names_a_changed_string_is_a_global_change() {
    let found = paired(
        "const char *t[] = { \"a\", \"b\" };",
        "const char *t[] = { \"a\", \"c\" };",
    );
    assert_eq!(found.change.globals.len(), 1);
    assert!(
        paired(
            "const char *t[] = { \"a\" };",
            "\nconst char *t[] = { \"a\" };"
        )
        .is_empty()
    );
}

#[test]
fn static_locals_pair_by_their_names() {
    let text = |start: u32| format!("int f(void) {{ static int n = {start}; return n++; }}");
    assert!(paired(&text(1), &format!("\n{}", text(1))).is_empty());
    assert_eq!(paired(&text(1), &text(2)).change.globals.len(), 1);
}

#[test]
fn functions_of_added_and_removed_files_are_added_and_removed() {
    let unit = |name: &str| format!("int {name}(int a) {{ {SUM} }}");
    let (f, g, h) = (
        unit("f"),
        "int g(void) { return 1; }",
        "char *h(char *p) { return p + 4; }",
    );
    let found = paired_files(&[("a.c", &f), ("b.c", g)], &[("a.c", &f), ("c.c", h)]);
    let statuses = function_statuses(&found.change, both(&found.versions));
    let new = found.versions.new.program.functions_named("h")[0];
    let old = found.versions.old.program.functions_named("g")[0];
    assert!(
        statuses.contains(&FunctionStatus::Added(new)),
        "{statuses:?}"
    );
    assert!(
        statuses.contains(&FunctionStatus::Removed(old)),
        "{statuses:?}"
    );
}

#[test]
fn a_call_to_a_function_that_lost_its_body_is_a_source() {
    let found = paired(
        "int s(int a) { return a; }\nint f(int a) {\nreturn s(a);\n}",
        "int s(int a);\n int f(int a) {\nreturn s(a);\n}",
    );
    assert!(
        found.source_lines().contains(&3),
        "{:?}",
        found.source_lines()
    );
}

#[test]
fn a_function_cut_out_of_another_is_split_from_it() {
    let part = "int n = 0; for (int k = 0; k < a; k++) { n += k * 7 + 13; n ^= a << 3; } ";
    let rest = "puts(\"done\"); return n % 17;";
    let declared = "int puts(const char *);";
    let old = format!("{declared}\nint f(int a) {{ {part} {rest} }}");
    let new = format!(
        "{declared}\nint part(int a) {{ {part} return n; }}\nint f(int a) {{ int n = part(a); {rest} }}"
    );
    let statuses = |old: &str, new: &str| {
        let found = paired(old, new);
        function_statuses(&found.change, both(&found.versions))
    };
    let split = statuses(&old, &new);
    let is_split = |status: &FunctionStatus| matches!(status, FunctionStatus::SplitFrom { .. });
    assert!(split.iter().any(is_split), "{split:?}");
    let merged = statuses(&new, &old);
    let is_merged = |status: &FunctionStatus| matches!(status, FunctionStatus::MergedInto { .. });
    assert!(merged.iter().any(is_merged), "{merged:?}");
}

#[test]
fn another_constructor_order_is_told() {
    let text = |first: &str, second: &str| {
        format!(
            "int g; __attribute__((constructor)) void {first}(void);\n\
             __attribute__((constructor)) void {second}(void);\n\
             __attribute__((constructor({0}))) void one(void) {{ g = 1; }}\n\
             __attribute__((constructor({1}))) void two(void) {{ g = 2; }}",
            if first == "one" { 101 } else { 102 },
            if first == "one" { 102 } else { 101 },
        )
    };
    let found = paired(&text("one", "two"), &text("two", "one"));
    assert!(!found.change.entries.new.is_empty());
}

fn fates(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<HunkFate> {
    let found = paired_files(old, new);
    let mut sources = SourceFiles::default();
    for side in Side::BOTH {
        let texts = found.texts.of(side).iter().cloned();
        sources.texts.of_mut(side).extend(texts);
        let readers = sources.readers.of_mut(side);
        readers.insert("/h.h".to_owned(), vec!["/a.c".to_owned()]);
    }
    let rows = account(&found.change, both(&found.versions), &found.edits, &sources);
    rows.into_iter().map(|row| row.fate).collect()
}

#[test]
fn each_hunk_is_accounted_for() {
    let unit = "#include \"h.h\"\nint f(int a) {\nreturn a + N;\n}\n";
    let header = "#define N 1\n#define UNUSED 5\n";
    let base = [("a.c", unit), ("h.h", header)];
    let with = |name: &str, text: &str| -> Vec<HunkFate> {
        let mut new = vec![(name, text)];
        new.extend(base.iter().filter(|(other, _)| *other != name));
        fates(&base, &new)
    };
    assert_eq!(
        with("h.h", "#define N 2\n#define UNUSED 5\n"),
        [HunkFate::InDelta]
    );
    assert_eq!(
        with("h.h", "#define N 1\n#define UNUSED 6\n"),
        [HunkFate::WithoutEffect]
    );
    assert_eq!(
        with("h.h", "#define N 1 // x\n#define UNUSED 5\n"),
        [HunkFate::LayoutOnly]
    );
    assert_eq!(
        with("a.c", &unit.replace("a + N", "a - N")),
        [HunkFate::InDelta]
    );
    let not_read = HunkFate::NotCompiled(NotCompiled::NotRead);
    assert_eq!(with("z.txt", "text\n"), [not_read]);
    let build = HunkFate::NotCompiled(NotCompiled::BuildFile);
    assert_eq!(with("Makefile", "all:\n"), [build]);
    let assembly = HunkFate::NotCompiled(NotCompiled::Assembly);
    assert_eq!(with("x.s", "nop\n"), [assembly]);
    let inactive = HunkFate::NotCompiled(NotCompiled::InactiveBranch);
    let conditional = format!("{unit}#ifdef NEVER\nint g;\n#endif\n");
    assert_eq!(with("a.c", &conditional), [inactive]);
}

#[test]
fn a_hunk_without_code_of_its_own_is_compiled_where_its_branch_made_code() {
    let text = |size: &str| {
        format!(
            "int g(char *);\n#ifndef NEVER\nint f(void) {{\nchar b[{size}];\nreturn g(b);\n}}\n#endif\n"
        )
    };
    let (old, new) = (text("12"), text("10"));
    let found = fates(&[("a.c", &old)], &[("a.c", &new)]);
    assert_eq!(found, [HunkFate::InDelta]);
}

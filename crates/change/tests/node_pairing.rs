//! Which nodes are sources, one claim a test.

mod pairs;

use knockon_change::{NodeMap, Side, pair_within};
use knockon_program::TimeLimit;
use pairs::{both, paired, paired_files, paired_with};
use std::time::Instant;

fn assert_empty(old: &str, new: &str) {
    let found = paired(old, new);
    assert!(found.is_empty(), "sources on {:?}", found.source_lines());
}

/// The lines with sources; `-` for those of the old text.
fn assert_sources(old: &str, new: &str, lines: &[i64]) {
    let found = paired(old, new).source_lines();
    let missing: Vec<_> = lines.iter().filter(|line| !found.contains(line)).collect();
    assert!(missing.is_empty(), "{missing:?} are not among {found:?}");
}

const LIBRARY: &str = "int puts(const char *); void *malloc(unsigned long); int rand(void);";

fn with_library(text: &str) -> String {
    format!("{LIBRARY}\n{text}")
}

#[test]
fn without_time_all_nodes_of_functions_that_differ_are_sources() {
    let text = |body: &str| {
        format!("int f(int a) {{ return a + 1; }}\nint g(int a) {{ {body} return a * f(a); }}\n")
    };
    let found = paired(&text(""), &text("if (a > 5) return 0;"));
    let versions = both(&found.versions);
    let over = TimeLimit::until(Instant::now());
    let change = pair_within(versions, &found.edits, over);
    assert!(change.is_cut && !found.change.is_cut);
    assert_eq!(change.pairs.len(), 2);
    for pair in &change.pairs {
        let program = versions.new.program;
        if program.function_name(pair.functions.new) == "f" {
            assert_eq!(pair.nodes, NodeMap::Identity);
            continue;
        }
        for side in Side::BOTH {
            let function = versions.of(side).program.function(*pair.functions.of(side));
            let body = function.body.as_ref().expect("a body");
            for id in body.instruction_ids() {
                assert!(pair.is_source(side, id), "{side:?} {id:?}");
                assert_eq!(pair.partner_of_node(side, id), None);
            }
        }
    }
}

#[test]
fn reformatted_text_is_the_same() {
    assert_empty(
        "int f(int a) { if (a) return 1; return a + 2; }",
        "int f(int a)\n{\n    if (a)\n        return 1;\n    return a +\n        2;\n}\n",
    );
}

#[test]
fn copies_on_lines_of_their_own_are_the_same() {
    assert_empty(
        "int g(void); int f(int c) { int a = g(); int b = a; if (c) a = 1; return a + b; }",
        "int g(void);\nint f(int c)\n{\n int a = g();\n int b = a;\n if (c)\n a = 1;\n return a + b;\n}",
    );
}

#[test]
fn comments_and_shifted_lines_are_the_same() {
    assert_empty(
        "int f(int a) { return a; }",
        "// one\n/* two */\nint f(int a) { return a; }",
    );
}

#[test]
fn renamed_locals_and_parameters_are_the_same() {
    assert_empty(
        "int f(int a) { int s = 0; for (int i = 0; i < a; i++) s += i; return s; }",
        "int f(int n) { int t = 0; for (int k = 0; k < n; k++) t += k; return t; }",
    );
}

#[test]
fn a_renamed_struct_of_the_same_layout_is_the_same() {
    assert_empty(
        "struct a { int x, y; }; int f(struct a *p) { return p->y; }",
        "struct b { int u, v; }; int f(struct b *p) { return p->v; }",
    );
}

#[test]
fn without_texts_shifted_code_is_the_same() {
    let old = "int g; int f(int a) { g = a; return g + 1; }";
    let new = "\n\nint g;\n int f(int a) { g = a;\n return g + 1; }";
    let edits = knockon_change::Edits::default();
    assert!(paired_with(&[("a.c", old)], &[("a.c", new)], edits).is_empty());
}

#[test]
fn swapped_independent_statements_have_no_source() {
    let old = "int g, h; int f(int a, int b) {\ng = a;\nh = b;\nreturn a; }";
    let new = "int g, h; int f(int a, int b) {\nh = b;\ng = a;\nreturn a; }";
    let found = paired(old, new);
    assert!(found.has_no_source_node(), "{:?}", found.source_lines());
}

#[test]
fn swapped_stores_to_one_variable_are_reordered() {
    let old = "int a;\nvoid f(void) {\na = 10;\na = 20;\n}";
    let new = "int a;\nvoid f(void) {\na = 20;\na = 10;\n}";
    assert_sources(old, new, &[3, 4, -3, -4]);
}

#[test]
fn swapped_stores_to_a_variable_that_nobody_sees_are_the_same() {
    assert_empty(
        "int f(void) {\nint a[2];\na[0] = 10;\na[1] = 20;\nreturn 0;\n}",
        "int f(void) {\nint a[2];\na[1] = 20;\na[0] = 10;\nreturn 0;\n}",
    );
}

#[test]
fn swapped_dependent_stores_are_reordered() {
    let old =
        "void f(int *p, int *q) {\n*p = 10;\n*q = 20;\n}\nint g(int *p) { f(p, p); return *p; }";
    let new =
        "void f(int *p, int *q) {\n*q = 20;\n*p = 10;\n}\nint g(int *p) { f(p, p); return *p; }";
    assert_sources(old, new, &[2, 3, -2, -3]);
}

#[test]
fn swapped_prints_are_sources() {
    let old = with_library("void f(void) {\nputs(\"a\");\nputs(\"b\");\n}");
    let new = with_library("void f(void) {\nputs(\"b\");\nputs(\"a\");\n}");
    assert_sources(&old, &new, &[3, 4, -3, -4]);
}

#[test]
fn swapped_writes_under_ifs_in_a_loop_are_sources() {
    let text = |body: &str| {
        format!(
            "void f(int *p, int *q, int c, int d, int n) {{\ndo {{\n{body}\n}} while (--n);\n}}\n\
             int g(int *p, int c, int d) {{ f(p, p, c, d, 3); return *p; }}"
        )
    };
    let old = text("if (c) *p = 1;\nif (d) *q = 2;");
    let new = text("if (d) *q = 2;\nif (c) *p = 1;");
    assert_sources(&old, &new, &[3, 4, -3, -4]);
}

#[test]
fn a_load_moved_over_a_store_is_a_source() {
    let text = |body: &str| {
        format!(
            "int f(int *p, int *q) {{\nint x;\n{body}\nreturn x; }}\nint g(int *p) {{ return f(p, p); }}"
        )
    };
    let old = text("x = *q;\n*p = 1;");
    let new = text("*p = 1;\nx = *q;");
    let found = paired(&old, &new).source_lines();
    assert!(found.contains(&-3) && found.contains(&4), "{found:?}");
}

#[test]
fn after_a_removed_break_the_next_case_is_a_source() {
    let text = |end: &str| {
        format!(
            "int g;\nvoid f(int a) {{\nswitch (a) {{\ncase 1: g = 1;\n{end}\ncase 2: g = 2;\nbreak;\n\
             default: g = 3; }}\n}}"
        )
    };
    assert_sources(&text("break;"), &text(""), &[6, -6, -5]);
}

#[test]
fn a_deleted_check_is_removed_and_what_it_guarded_is_no_source() {
    let old = "int f(int *p) {\nif (!p)\nreturn -1;\nreturn *p;\n}";
    let new = "int f(int *p) {\nreturn *p;\n}";
    let found = paired(old, new).source_lines();
    assert!(found.contains(&-2), "{found:?}");
    assert!(!found.contains(&2), "{found:?}");
}

#[test]
fn an_inserted_statement_alone_is_a_source() {
    let old =
        "struct s { int n; }; int f(struct s *p, int a) {\nint r = a * 3;\nreturn r + p->n;\n}";
    let new = "struct s { int n; }; int f(struct s *p, int a) {\nint r = a * 3;\np->n++;\n\
               return r + p->n;\n}";
    let found: Vec<i64> = paired(old, new).source_lines().into_iter().collect();
    assert_eq!(found, [3]);
}

#[test]
fn a_use_of_a_value_that_got_a_new_definition_is_no_source() {
    let old = "int g(int); int f(int a, int b) {\nint r = a;\nreturn g(r);\n}";
    let new = "int g(int); int f(int a, int b) {\nint r = a;\nif (b) r = g(b);\nreturn g(r);\n}";
    let found = paired(old, new).source_lines();
    assert!(found.contains(&3) && !found.contains(&4), "{found:?}");
}

#[test]
fn another_constant_is_a_source() {
    let old = "int f(int a) {\nint b = a * 2;\nreturn b - 1;\n}";
    let new = "int f(int a) {\nint b = a * 3;\nreturn b - 1;\n}";
    let found: Vec<i64> = paired(old, new).source_lines().into_iter().collect();
    assert_eq!(found, [-2, 2]);
}

#[test]
fn another_operand_is_a_source() {
    let old = "int f(int a, int b, int c) {\nreturn a - b;\n}";
    let new = "int f(int a, int b, int c) {\nreturn a - c;\n}";
    assert_sources(old, new, &[2, -2]);
}

#[test]
fn another_macro_value_is_a_source_where_it_is_used() {
    let text = |value: u32| format!("#define N {value}\nint f(int a) {{\nreturn a + N;\n}}");
    assert_sources(&text(4), &text(5), &[3, -3]);
}

#[test]
fn another_enum_value_is_a_source_where_it_is_used() {
    let old = "enum e { A, B }; int f(int a) {\nreturn a == B;\n}";
    let new = "enum e { A, X, B }; int f(int a) {\nreturn a == B;\n}";
    assert_sources(old, new, &[2, -2]);
}

#[test]
fn another_struct_layout_is_a_source_where_it_is_used() {
    let old = "struct s { int a, b; }; int f(struct s *p) {\nreturn p->b;\n}\nint g(int x) {\nreturn x; }";
    let new = "struct s { int a, c, b; }; int f(struct s *p) {\nreturn p->b;\n}\nint g(int x) {\nreturn x; }";
    let found = paired(old, new).source_lines();
    assert!(found.contains(&2) && !found.contains(&5), "{found:?}");
}

#[test]
fn another_header_is_a_source_where_it_is_used() {
    let unit = "#include \"h.h\"\nint f(int a) {\nreturn scale(a);\n}";
    let header = |by: u32| format!("static int scale(int x) {{ return x * {by}; }}");
    let (old, new) = (header(2), header(3));
    let found = paired_files(
        &[("a.c", unit), ("h.h", &old)],
        &[("a.c", unit), ("h.h", &new)],
    );
    assert!(
        found.source_lines().contains(&1),
        "{:?}",
        found.source_lines()
    );
    assert!(
        !found.source_lines().contains(&3),
        "{:?}",
        found.source_lines()
    );
}

#[test]
fn another_target_of_a_goto_is_a_source() {
    let text = |target: &str| {
        format!(
            "int g;\nvoid f(int a) {{\nif (a)\ngoto {target};\ng = 1;\none: g = 2;\ntwo: g = 3;\n}}"
        )
    };
    assert_sources(&text("one"), &text("two"), &[4, -4, 6, -6]);
}

#[test]
fn an_inverted_condition_is_a_source() {
    let old = "int g; void f(int a) {\nwhile (a < 10) {\na++;\ng = a; }\n}";
    let new = "int g; void f(int a) {\nwhile (!(a < 10)) {\na++;\ng = a; }\n}";
    assert_sources(old, new, &[2]);
}

#[test]
fn swapped_arms_of_an_if_are_sources() {
    let old = "int g; void f(int a) {\nif (a) {\ng = 1;\n} else {\ng = 2;\n}\n}";
    let new = "int g; void f(int a) {\nif (a) {\ng = 2;\n} else {\ng = 1;\n}\n}";
    assert_sources(old, new, &[3, 5, -3, -5]);
}

#[test]
fn swapped_values_of_a_phi_are_sources() {
    let old = "int f(int c, int a, int b) {\nint r;\nif (c) r = a; else r = b;\nreturn r;\n}";
    let new = "int f(int c, int a, int b) {\nint r;\nif (c) r = b; else r = a;\nreturn r;\n}";
    assert!(!paired(old, new).is_empty());
}

#[test]
fn cases_that_part_ways_make_the_switch_a_source() {
    let old = "int g; void f(int a) {\nswitch (a) {\ncase 1: case 2: g = 1; break;\n}\n}";
    let new = "int g; void f(int a) {\nswitch (a) {\ncase 1: g = 1; break; case 2: break;\n}\n}";
    assert_sources(old, new, &[2, -2]);
}

#[test]
fn another_callee_is_a_source() {
    let text = |callee: &str| {
        format!("int one(int); int two(int); int f(int a) {{\nint b = {callee}(a);\nreturn b;\n}}")
    };
    let found: Vec<i64> = paired(&text("one"), &text("two"))
        .source_lines()
        .into_iter()
        .collect();
    assert_eq!(found, [-2, 2]);
}

#[test]
fn another_string_is_a_source_and_a_shifted_number_of_one_is_not() {
    let text = |first: &str, second: &str| {
        with_library(&format!(
            "void e(void) {{\n{first}\n}}\nvoid f(void) {{\nputs(\"{second}\");\n}}"
        ))
    };
    assert_sources(&text("", "b"), &text("", "c"), &[6, -6]);
    let found = paired(&text("puts(\"a\");", "b"), &text("", "b")).source_lines();
    assert!(!found.contains(&6) && !found.contains(&-6), "{found:?}");
}

#[test]
fn a_shifted_line_number_is_a_position_constant() {
    let old = "void fail(int line);\nvoid f(int a) { if (a) fail(__LINE__); }";
    let new = "\n\nvoid fail(int line);\nvoid f(int a) { if (a) fail(__LINE__); }";
    assert_empty(old, new);
}

#[test]
fn a_line_number_of_a_call_over_several_lines_is_a_position_constant() {
    let text = |head: &str, body: &str| {
        format!(
            "{head}void fail(int line, int why);\n#define CHECK(a) if (!(a)) fail(__LINE__, 1)\n\
             void f(int a) {{\n{body}\n}}"
        )
    };
    let call = "CHECK(a ==\n2);";
    assert_empty(&text("", call), &text("\n\n", call));
    let edited = "CHECK(a ==\n(2));";
    assert!(!paired(&text("", call), &text("\n\n", edited)).is_empty());
    // What is no line number is compared as it is.
    assert_empty(&text("", "fail(6, 7);"), &text("\n", "fail(6, 7);"));
    assert!(!paired(&text("", "fail(6, 7);"), &text("\n", "fail(7, 7);")).is_empty());
}

#[test]
fn a_line_number_on_edited_text_is_a_constant() {
    let old = "void fail(int line);\nvoid f(int a) { if (a) fail(__LINE__); }";
    let new = "\n\nvoid fail(int line);\nvoid f(int a) { if (a) fail((__LINE__)); }";
    assert!(!paired(old, new).is_empty());
    let spaced = "\n\nvoid fail(int line);\nvoid f(int a) { if (a)  fail(__LINE__); }";
    assert_empty(old, spaced);
}

#[test]
fn a_constant_that_happens_to_be_its_line_is_a_constant() {
    let old = "int f(int a) {\nreturn a + 2;\n}";
    let new = "\nint f(int a) {\nreturn a + 2;\n}";
    assert_empty(old, new);
}

#[test]
fn another_order_of_calls_that_share_memory_is_a_source() {
    let text = |body: &str| {
        format!(
            "int g; void one(void) {{ g = g + 1; }}\nvoid two(void) {{ g = g * 2; }}\n\
             void f(void) {{\n{body}\n}}"
        )
    };
    assert_sources(
        &text("one();\ntwo();"),
        &text("two();\none();"),
        &[4, 5, -4, -5],
    );
}

#[test]
fn another_order_of_calls_that_share_nothing_is_no_source() {
    let text = |body: &str| {
        format!(
            "int g, h; void one(void) {{ g = g + 1; }}\nvoid two(void) {{ h = h * 2; }}\n\
             void f(void) {{\n{body}\n}}"
        )
    };
    let found = paired(&text("one();\ntwo();"), &text("two();\none();"));
    assert!(found.has_no_source_node(), "{:?}", found.source_lines());
}

#[test]
fn code_moved_into_an_inserted_check_is_no_source_and_the_check_is() {
    let old = "int g; void f(int a, int b) {\ng = a;\n}";
    let new = "int g; void f(int a, int b) {\nif (b > 3)\ng = a;\n}";
    let found = paired(old, new).source_lines();
    assert!(found.contains(&2) && !found.contains(&-2), "{found:?}");
}

#[test]
fn an_array_that_has_grown_is_the_same() {
    let local = |length: &str| {
        with_library(&format!(
            "int f(int i) {{ char a[{length}]; a[0] = 'x'; a[i] = 0; puts(a); return a[3]; }}"
        ))
    };
    assert_empty(&local("10"), &local("12"));
    // From 16 bytes on, arrays are aligned, and accesses say so.
    assert_empty(&local("10"), &local("40"));
    let global = |length: &str| {
        with_library(&format!(
            "static char a[{length}]; char *p = a + 2;\n\
             int f(int i) {{ a[0] = 'x'; a[i] = 0; puts(a); return a[3]; }}"
        ))
    };
    assert_empty(&global("10"), &global("40"));
    assert_empty(
        "int t[3][4]; int f(int i, int j) { return t[i][j] + t[1][2]; }",
        "int t[9][4]; int f(int i, int j) { return t[i][j] + t[1][2]; }",
    );
}

#[test]
fn the_length_of_an_array_is_a_source_where_it_is_asked_for() {
    assert_sources(
        "char a[10];\nint f(void) {\n return sizeof a;\n}",
        "char a[12];\nint f(void) {\n return sizeof a;\n}",
        &[3],
    );
    assert_sources(
        "int f(int i) {\n int a[4] = {0};\n return a[i]; }",
        "int f(int i) {\n int a[5] = {0};\n return a[i]; }",
        &[2],
    );
    assert_sources(
        "int t[3][4]; int f(int i, int j) {\n return t[i][j];\n}",
        "int t[3][5]; int f(int i, int j) {\n return t[i][j];\n}",
        &[2],
    );
    assert_sources(
        "struct s { char a[4]; char b; };\nint f(struct s *p) {\n return p->b;\n}",
        "struct s { char a[5]; char b; };\nint f(struct s *p) {\n return p->b;\n}",
        &[3],
    );
    assert_sources(
        "int f(int (*p)[4], int i) {\n return p[i][0];\n}",
        "int f(int (*p)[5], int i) {\n return p[i][0];\n}",
        &[2],
    );
}

#[test]
fn an_array_that_has_shrunk_is_another() {
    let local =
        |length: &str| format!("int f(int i) {{ int a[{length}]; a[i] = 1; return a[i]; }}");
    assert!(!paired(&local("4"), &local("3")).is_empty());
    let global = |length: &str| format!("int a[{length}]; int f(int i) {{ return a[i]; }}");
    assert!(!paired(&global("4"), &global("3")).is_empty());
    let filled = |length: &str| format!("int a[{length}] = {{1}}; int f(int i) {{ return a[i]; }}");
    assert!(!paired(&filled("3"), &filled("4")).is_empty());
}

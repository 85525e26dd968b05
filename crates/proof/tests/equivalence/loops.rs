//! Loops of both versions side by side.

use super::{other, same};

#[test]
fn loops_that_make_other_numbers_of_iterations_differ() {
    let text = |test: &str| {
        format!(
            "unsigned f(const unsigned *a, unsigned n) {{ unsigned s = 0; for (unsigned i = 0; {test}; i++) s += a[i]; return s; }}"
        )
    };
    same(&text("i < n"), &text("i != n"));
    other(&text("i < n"), &text("i + 1 < n"));
    other(&text("i < n"), &text("i <= n"));
}

#[test]
fn loops_without_an_end_are_not_compared() {
    other(
        "void f(int *p) { for (;;) *p = 1; }",
        "void f(int *p) { for (;;) *p = 2; }",
    );
    other(
        "int f(int *p, int n) { if (n > 3) for (;;) *p = 1; return n; }",
        "int f(int *p, int n) { if (n > 3) for (;;) *p = 2; return n; }",
    );
}

#[test]
fn a_test_at_the_end_needs_a_guard() {
    let old = "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, i = 0; while (i < n) { s += a[i]; i++; } return s; }";
    same(
        old,
        "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, i = 0; if (n > 0) do { s += a[i]; i++; } while (i < n); return s; }",
    );
    other(
        old,
        "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, i = 0; do { s += a[i]; i++; } while (i < n); return s; }",
    );
}

#[test]
fn a_first_iteration_may_come_before_the_loop() {
    let old = "int f(const int *a, unsigned n) { int m = 0; for (unsigned i = 0; i < n; i++) if (i == 0 || a[i] > m) m = a[i]; return m; }";
    same(
        old,
        "int f(const int *a, unsigned n) { if (n == 0) return 0; int m = a[0]; for (unsigned i = 1; i < n; i++) if (a[i] > m) m = a[i]; return m; }",
    );
    other(
        old,
        "int f(const int *a, unsigned n) { if (n == 0) return 0; int m = a[0]; for (unsigned i = 2; i < n; i++) if (a[i] > m) m = a[i]; return m; }",
    );
}

#[test]
fn one_loop_may_do_what_two_did() {
    let old = "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, t = 0; for (unsigned i = 0; i < n; i++) { s += a[i]; t ^= a[i]; } return s * 3 + t; }";
    same(
        old,
        "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, t = 0; for (unsigned i = 0; i < n; i++) s += a[i]; for (unsigned i = 0; i < n; i++) t ^= a[i]; return s * 3 + t; }",
    );
    other(
        "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, t = 0; for (unsigned i = 0; i < n; i++) { s += a[i]; t ^= s; } return s * 3 + t; }",
        "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, t = 0; for (unsigned i = 0; i < n; i++) s += a[i]; for (unsigned i = 0; i < n; i++) t ^= s; return s * 3 + t; }",
    );
}

#[test]
fn a_call_at_the_end_is_a_loop() {
    let old = "unsigned f(unsigned a, unsigned b) { if (b == 0) return a; return f(b, a % b); }";
    same(
        old,
        "unsigned f(unsigned a, unsigned b) { while (b != 0) { unsigned r = a % b; a = b; b = r; } return a; }",
    );
    other(
        old,
        "unsigned f(unsigned a, unsigned b) { while (b > 1) { unsigned r = a % b; a = b; b = r; } return a; }",
    );
    // The call is not the last that happens.
    other(
        "unsigned f(unsigned a, unsigned b) { if (b == 0) return a; return f(b, a % b) + 1; }",
        "unsigned f(unsigned a, unsigned b) { while (b != 0) { unsigned r = a % b; a = b; b = r; } return a; }",
    );
}

#[test]
fn what_is_accessed_after_a_loop_need_not_be_in_it() {
    // The old version reads one element, the new one all of them.
    other(
        "int f(const int *a, unsigned n) { unsigned i = 0; while (i < n) i++; return a[i]; }",
        "int f(const int *a, unsigned n) { unsigned i = 0; while (i < n) { (void)*(const volatile int *)&a[i]; i++; } return a[i]; }",
    );
    other(
        "unsigned f(unsigned x, unsigned n) { unsigned i = 0; while (i < n) i++; return x / i; }",
        "unsigned f(unsigned x, unsigned n) { unsigned i = 0, s = 0; while (i < n) { s = x / i; i++; } return x / i; }",
    );
}

#[test]
fn what_a_loop_leads_to_is_not_known_before_it() {
    // Only if the loops make the same number of iterations is the new version defined; the old
    // one always is.
    other(
        "unsigned f(unsigned c, unsigned n, unsigned m) { unsigned i = 0; while (i < n) i++; return c; }",
        "unsigned f(unsigned c, unsigned n, unsigned m) { unsigned i = 0; while (i < (c ? m : n)) i++; if (c && n != m) __builtin_unreachable(); return c; }",
    );
}

#[test]
fn a_loop_that_is_evaluated_twice_has_two_counts() {
    let text = |more: &str| {
        format!(
            "unsigned f(const char *p) {{ unsigned s = 0;
             for (int i = 0; i < 2; i++) {{ unsigned j = 0; while (p[i * 10 + j]) j++; s = s * 100 + j; }}
             return s{more}; }}"
        )
    };
    same(&text(""), &text(" + 0"));
    other(
        &text(""),
        "unsigned f(const char *p) { unsigned j = 0; while (p[j]) j++; return j * 101; }",
    );
}

#[test]
fn loops_are_unrolled_by_a_factor_with_and_without_a_rest() {
    let old =
        "unsigned f(unsigned long v) { unsigned n = 0; do { n++; v /= 10; } while (v); return n; }";
    let new = |limit: &str| {
        format!(
            "unsigned f(unsigned long v) {{ unsigned n = 1;
             for (;;) {{ if (v < 10) return n; if (v < {limit}) return n + 1; v /= 100; n += 2; }} }}"
        )
    };
    same(old, &new("100"));
    other(old, &new("101"));
}

#[test]
fn a_call_that_only_reads_changes_nothing_in_a_loop() {
    let text = |before: &str, test: &str, body: &str| {
        format!(
            "#include <string.h>\nunsigned f(char *p) {{ unsigned n = 0; {before}
             for (size_t i = 0; i < {test}; i++) {{ {body} }} return n; }}"
        )
    };
    let counts = "if (p[i] == ' ') n++;";
    let length = "size_t l = strlen(p);";
    same(&text("", "strlen(p)", counts), &text(length, "l", counts));
    let writes = "if (p[i] == ' ') p[i] = 0;";
    other(&text("", "strlen(p)", writes), &text(length, "l", writes));
}

#[test]
fn what_was_asked_of_the_next_value_is_known_of_it() {
    let head = "struct s { struct s *next; int v; };\n";
    let text = |test: &str| {
        format!(
            "{head}struct s *f(struct s *c) {{ if (!c) return c; while ({test}) c = c->next; return c; }}"
        )
    };
    same(&text("c && c->next"), &text("c->next"));
    other(&text("c && c->next"), &text("c"));
}

#[test]
fn tests_of_a_conjunction_bound_a_loop() {
    let old = "static const int t[3] = {2, 3, 5};\n\
               int f(int x) { int i = 0; while (i < 3 && t[i] != x) i++; return i; }";
    let new = |last: &str| {
        format!("int f(int x) {{ return x == 2 ? 0 : x == 3 ? 1 : x == {last} ? 2 : 3; }}")
    };
    same(old, &new("5"));
    other(old, &new("7"));
}

#[test]
fn a_counter_that_may_wrap_on_the_way_is_not_exact() {
    let of = |step: &str, test: &str| {
        format!(
            "int f(int x, int n) {{ int r = 0, s = x;\n\
             for (int k = 0; k < n; k++) {{ {test} {step} }} return r; }}"
        )
    };
    for step in [
        "x += 4u; x++;",
        "x += sizeof(int); x++;",
        "x = (int)((unsigned)x - 3u) - 1;",
    ] {
        let step = |test: &str| of(step, test);
        other(&step("if (x < s) r = 1;"), &step(""));
    }
    same(&of("x += 5;", "if (x < s) r = 1;"), &of("x += 5;", ""));
}

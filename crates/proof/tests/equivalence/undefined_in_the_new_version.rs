//! What only the new version does and must not: it is not equivalent to a version that is defined.

use super::{other, same};

#[test]
fn a_variable_that_is_not_set_on_some_path() {
    let one = "int f(int c) { return 1; }";
    other(one, "int f(int c) { int x; if (c) x = 1; return x; }");
    other(
        "int f(void) { int x = 5; int y = x; return y; }",
        "int f(void) { int x; int y = x; x = 5; return y; }",
    );
    other(
        "int f(int c, int y) { return y; }",
        "int f(int c, int y) { int x; if (c != 12345) x = y; return x; }",
    );
    other(
        "int f(int n) { int first = 1, s = 0; for (int i = 0; i < n; i++) s += first; return s; }",
        "int f(int n) { int first, s = 0; for (int i = 0; i < n; i++) { s += first; first = 1; } return s; }",
    );
    other(
        "int f(int x) { if (x != 77) return 1; return 1; }",
        "int f(int x) { if (x != 77) return 1; }",
    );
    other(
        "void f(int c, int *p) { int *q = p; if (c) q = p; *q = 1; }",
        "void f(int c, int *p) { int *q; if (c) q = p; *q = 1; }",
    );
    let head = "void g(int);\n";
    other(
        &format!("{head}void f(int c) {{ g(1); }}"),
        &format!("{head}void f(int c) {{ int x; if (c) x = 1; g(x); }}"),
    );
}

#[test]
fn a_variable_that_is_set_wherever_it_is_read() {
    same(
        "int f(int c) { int x; if (c) x = 1; if (c) return x; return 2; }",
        "int f(int c) { int x; if (!c) return 2; x = 1; return x; }",
    );
    let head = "int g(void);\n";
    same(
        &format!("{head}int f(void) {{ int c, n = 0; while ((c = g()) > 0) n += c; return n; }}"),
        &format!(
            "{head}int f(void) {{ int c, n = 0; for (;;) {{ c = g(); if (c <= 0) return n; n += c; }} }}"
        ),
    );
}

#[test]
fn what_is_allocated_in_a_loop_is_another_object_each_time() {
    other(
        "int f(int a) { int s = 0; int *prev = 0; for (int i = 0; i < 3; i++) { int *q = __builtin_alloca(4); *q = a + i; if (prev) s += *prev; prev = q; } return s; }",
        "int f(int a) { int s = 0; int *prev = 0; for (int i = 0; i < 3; i++) { int *q = __builtin_alloca(4); *q = a + i; if (prev) s += *q; prev = q; } return s; }",
    );
    other(
        "int f(int a) { char *p[2]; for (int i = 0; i < 2; i++) p[i] = __builtin_alloca(8); return p[0] == p[1]; }",
        "int f(int a) { return 1; }",
    );
}

#[test]
fn a_variable_of_a_function_that_returned() {
    other(
        "int f(int c) { return c; }",
        "static void h(int **p, int c) { int x = c; *p = &x; } int f(int c) { int *p; h(&p, c); return *p; }",
    );
    other(
        "int f(int a) { return a; }",
        "static int *h(void) { int x = 0; int *p = &x; return p; } int f(int a) { int *p = h(); *p = a; return *p; }",
    );
    same(
        "int f(int a) { return a + 1; }",
        "static void h(int *p) { int x = *p; int *q = &x; *p = *q + 1; } int f(int a) { h(&a); return a; }",
    );
}

#[test]
fn sums_wider_than_a_word_overflow_too() {
    let wide = "typedef __int128 wide;\ntypedef unsigned __int128 natural;\n";
    let wrapping =
        format!("{wide}wide f(wide a, wide b) {{ return (wide)((natural)a + (natural)b); }}");
    other(
        &wrapping,
        &format!("{wide}wide f(wide a, wide b) {{ return a + b; }}"),
    );
    same(
        &format!("{wide}wide f(wide a, wide b) {{ return a + b; }}"),
        &format!("{wide}wide f(wide a, wide b) {{ wide c = a + b; return c; }}"),
    );
}

#[test]
fn numbers_that_do_not_fit_an_integer() {
    other(
        "int f(double x) { return x >= 0 && x < 100 ? (int)x : -1; }",
        "int f(double x) { int t = (int)x; return x >= 0 && x < 100 ? t : -1; }",
    );
    same(
        "int f(double x) { int t = (int)x; return t < 3 ? t : -1; }",
        "int f(double x) { return (int)x < 3 ? (int)x : -1; }",
    );
}

#[test]
fn functions_of_the_library_that_are_not_defined_everywhere() {
    let head = "#include <stdlib.h>\n#include <ctype.h>\n#include <malloc.h>\n";
    other(
        &format!("{head}int f(int a, int b) {{ if (b == 0) return 0; return div(a, b).quot; }}"),
        &format!(
            "{head}int f(int a, int b) {{ div_t d = div(a, b); if (b == 0) return 0; return d.quot; }}"
        ),
    );
    other(
        &format!("{head}int f(int c) {{ if (c < 0 || c > 255) return 0; return (isdigit)(c); }}"),
        &format!(
            "{head}int f(int c) {{ int r = (isdigit)(c); if (c < 0 || c > 255) return 0; return r; }}"
        ),
    );
    other(
        &format!("{head}long f(void *p) {{ long n = malloc_usable_size(p); free(p); return n; }}"),
        &format!("{head}long f(void *p) {{ free(p); long n = malloc_usable_size(p); return n; }}"),
    );
}

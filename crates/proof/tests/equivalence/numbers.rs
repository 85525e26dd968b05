//! Numbers, their conversions, and the tests on them.

use super::{other, same};

#[test]
fn undefined_behaviour_may_go_but_not_come() {
    same(
        "int f(int x) { return x + 1 > x; }",
        "int f(int x) { return 1; }",
    );
    other(
        "int f(int x) { return 1; }",
        "int f(int x) { return x + 1 > x; }",
    );
    other(
        "unsigned f(unsigned a, unsigned b) { return b == 0 ? 0 : a / b * 0; }",
        "unsigned f(unsigned a, unsigned b) { return a / b * 0; }",
    );
    other(
        "int f(int *p, int n) { return n > 0 ? *p : 0; }",
        "int f(int *p, int n) { int x = *p; return n > 0 ? x : 0; }",
    );
}

#[test]
fn unsigned_numbers_wrap_and_signed_ones_do_not() {
    other(
        "int f(unsigned x) { return x + 1 > x; }",
        "int f(unsigned x) { return 1; }",
    );
    other(
        "int f(unsigned a, unsigned b) { return a < b; }",
        "int f(unsigned a, unsigned b) { return (int)a < (int)b; }",
    );
}

#[test]
fn characters_are_extended_with_their_sign() {
    other(
        "int f(const char *s) { return *s; }",
        "int f(const char *s) { return *(const unsigned char *)s; }",
    );
    same(
        "int f(const char *s) { return *s == 'a'; }",
        "int f(const char *s) { return *(const unsigned char *)s == 'a'; }",
    );
}

#[test]
fn switches_fall_through() {
    other(
        "int f(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 2; break; default: r = 9; } return r; }",
        "int f(int x) { int r = 0; switch (x) { case 1: r += 1; break; case 2: r += 2; break; default: r = 9; } return r; }",
    );
    same(
        "int f(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 2; break; default: r = 9; } return r; }",
        "int f(int x) { if (x == 1) return 3; if (x == 2) return 2; return 9; }",
    );
}

#[test]
fn conversions_of_bytes_and_bits_have_a_meaning() {
    same(
        "unsigned f(unsigned w) { return w >> 24 | (w >> 8 & 0xff00) | (w & 0xff00) << 8 | w << 24; }",
        "unsigned f(unsigned w) { return __builtin_bswap32(w); }",
    );
    other(
        "unsigned f(unsigned w) { return w >> 24 | (w >> 8 & 0xff00) | (w & 0xff00) << 8 | w << 16; }",
        "unsigned f(unsigned w) { return __builtin_bswap32(w); }",
    );
    same(
        "int f(unsigned char w) { return (w & 1) + (w >> 1 & 1) + (w >> 2 & 1) + (w >> 3 & 1) + (w >> 4 & 1) + (w >> 5 & 1) + (w >> 6 & 1) + (w >> 7); }",
        "int f(unsigned char w) { return __builtin_popcount(w); }",
    );
    same(
        "int f(unsigned char w) { return w ? __builtin_clz(w) : 32; }",
        "int f(unsigned char w) { int n = 24; for (int i = 7; i >= 0; i--) { if (w >> i & 1) return n; n++; } return 32; }",
    );
    other(
        "int f(int a, int b, int *r) { return __builtin_add_overflow(a, b, r); }",
        "int f(int a, int b, int *r) { return __builtin_sub_overflow(a, b, r); }",
    );
}

#[test]
fn quotients_are_compared_with_constants() {
    same(
        "int f(unsigned x) { return x / 10 / 7 < 3; }",
        "int f(unsigned x) { return x < 210; }",
    );
    other(
        "int f(unsigned x) { return x / 10 / 7 < 3; }",
        "int f(unsigned x) { return x <= 210; }",
    );
    same(
        "int f(unsigned x) { return x / 10 == 2; }",
        "int f(unsigned x) { return x >= 20 && x < 30; }",
    );
}

#[test]
fn halves_of_signed_numbers_go_towards_zero() {
    same(
        "int f(int x) { return x / 4; }",
        "int f(int x) { return x < 0 ? (x + 3) >> 2 : x >> 2; }",
    );
    other(
        "int f(int x) { return x / 4; }",
        "int f(int x) { return x >> 2; }",
    );
}

#[test]
fn the_larger_of_two_is_the_same_whichever_is_asked_about() {
    same(
        "int f(int a, int b) { return a > b ? a : b; }",
        "int f(int a, int b) { return b > a ? b : a; }",
    );
    other(
        "int f(int a, int b) { return a > b ? a : b; }",
        "int f(int a, int b) { return a > b ? b : a; }",
    );
}

#[test]
fn floats_are_less_greater_equal_or_no_numbers() {
    let old = "int f(double x) { return x != x || x > 9.5 || x < -2.0; }";
    same(old, "int f(double x) { return !(x <= 9.5 && x >= -2.0); }");
    other(old, "int f(double x) { return x > 9.5 || x < -2.0; }");
    other(old, "int f(double x) { return !(x < 9.5 && x >= -2.0); }");
    let less = "int f(float x, float y) { return x < y; }";
    same(less, "int f(float x, float y) { return y > x; }");
    other(less, "int f(float x, float y) { return !(x >= y); }");
    other(less, "int f(float x, float y) { return y < x; }");
    // Both zeros are equal, and their bits are not.
    let zero = "int f(double x) { return x == 0.0; }";
    other(
        zero,
        "int f(double x) { union { double x; long y; } u = {x}; return u.y == 0; }",
    );
}

#[test]
fn formats_of_floats_with_as_many_bits_are_others() {
    let text = |format: &str| {
        format!(
            "int f(unsigned short a) {{ union {{ unsigned short a; {format} x; }} u = {{a}}; return u.x < ({format})3; }}"
        )
    };
    other(&text("_Float16"), &text("__bf16"));
}

#[test]
fn zeros_of_no_bit_are_some_number() {
    let of = |text: &str| format!("int f(int a) {{ return {text}; }}");
    other(
        &of("__builtin_ffs(a)"),
        &of("a ? __builtin_ctz(a) + 1 : 77"),
    );
    same(&of("__builtin_ffs(a)"), &of("a ? __builtin_ctz(a) + 1 : 0"));
    other(&of("a ? __builtin_clz(a) : 32"), &of("__builtin_clz(a)"));
    same(&of("__builtin_clz(a) + 1"), &of("1 + __builtin_clz(a)"));
}

#[test]
fn what_is_done_in_an_environment_counts() {
    let of = |text: &str| {
        format!("#pragma STDC FENV_ACCESS ON\nint f(double a, double b) {{ return {text}; }}")
    };
    other(&of("a < b"), &of("a > b"));
    same(&of("a < b ? 2 : 1"), &of("(a < b) + 1"));
    let of = |way: &str| {
        format!("double f(double a, double b) {{\n#pragma STDC FENV_ROUND {way}\nreturn a + b; }}")
    };
    other(&of("FE_UPWARD"), &of("FE_DOWNWARD"));
}

#[test]
fn registers_of_other_names_are_others() {
    let of = |name: &str| {
        format!("register unsigned long r __asm__(\"{name}\"); long f(void) {{ return r == 0; }}")
    };
    other(&of("rsp"), &of("rbp"));
}

#[test]
fn what_is_inexact_in_other_ways_is_something_else() {
    let fast = "#pragma float_control(precise, off)\n";
    let of = |before: &str, text: &str| format!("{before}double f(double a) {{ return {text}; }}");
    for text in ["a != a", "a + 1", "a > 0 ? a : 3"] {
        other(&of("", text), &of(fast, text));
        other(&of(fast, text), &of("", text));
    }
    let reassociated = "#pragma clang fp reassociate(on)\n";
    other(&of(fast, "a * a"), &of(reassociated, "a * a"));
    same(&of(fast, "a + 1 > a ? 2 : 1"), &of(fast, "(a + 1 > a) + 1"));
}

//! What is called, and what callees may do.

use super::{other, same};

#[test]
fn a_callee_may_change_memory_between_two_loads() {
    let head = "extern void g(void); extern int h(int);\n";
    other(
        &format!("{head}int f(int *p) {{ int x = *p; g(); return x + *p; }}"),
        &format!("{head}int f(int *p) {{ int x = *p; g(); return x + x; }}"),
    );
    same(
        &format!("{head}int f(int *p) {{ g(); int x = *p; return x + *p; }}"),
        &format!("{head}int f(int *p) {{ g(); return 2 * *p; }}"),
    );
}

#[test]
fn a_global_read_after_a_call_is_read_again() {
    let head = "int total; extern void g(void);\n";
    other(
        &format!("{head}int f(void) {{ g(); return total; }}"),
        &format!("{head}int f(void) {{ int t = total; g(); return t; }}"),
    );
}

#[test]
fn calls_keep_their_order() {
    let head = "extern void g(int), h(int);\n";
    other(
        &format!("{head}void f(int x) {{ g(x); h(x); }}"),
        &format!("{head}void f(int x) {{ h(x); g(x); }}"),
    );
    other(
        &format!("{head}void f(int x) {{ g(x); }}"),
        &format!("{head}void f(int x) {{ g(x); g(x); }}"),
    );
}

#[test]
fn calls_through_pointers_depend_on_the_pointer() {
    same(
        "int f(int (*g)(int), int x) { return g(x) + 1; }",
        "int f(int (*g)(int), int x) { int r = g(x); return 1 + r; }",
    );
    other(
        "int f(int (*g)(int), int (*h)(int), int x) { return g(x); }",
        "int f(int (*g)(int), int (*h)(int), int x) { return h(x); }",
    );
}

#[test]
fn an_assertion_on_another_line_is_the_same() {
    let head = "#include <assert.h>\nextern int g(int);\n";
    same(
        &format!(
            "{head}int f(int *p, int i) {{\n if (i >= 0) {{\n assert(p);\n return *p;\n }}\n return 0;\n}}"
        ),
        &format!(
            "{head}int f(int *p, int i) {{\n if (i < 0)\n return 0;\n assert(p);\n return *p;\n}}"
        ),
    );
    same(
        &format!(
            "{head}int f(int *p, int i) {{\n if (i >= 0) {{\n assert(p\n && i);\n return *p;\n }}\n return 0;\n}}"
        ),
        &format!(
            "{head}int f(int *p, int i) {{\n if (i < 0)\n return 0;\n assert(p\n && i);\n return *p;\n}}"
        ),
    );
    other(
        &format!("{head}int f(int i) {{\n return g(4);\n}}"),
        &format!("{head}int f(int i) {{\n\n return g(5);\n}}"),
    );
    // Line 5 moved to 6: what is 6 there is no line number in the old text, and 5 is none in the new.
    other(
        &format!("{head}int f(int i) {{\n if (i) return g(5);\n return g(6);\n}}"),
        &format!("{head}int f(int i) {{\n if (i)\n return g(6);\n return g(6);\n}}"),
    );
}

#[test]
fn a_function_without_effects_may_be_called_twice() {
    let text = |body: &str, more: &str| {
        format!(
            "static int calls;\nstatic int d(char c) {{ {body} return c - '0'; }}\n\
             int f(const char *p) {{ {more} }}\n\
             int count(void) {{ return calls; }}\n"
        )
    };
    let twice = "if (d(*p) < 0) return 0; return d(*p);";
    let once = "int v = d(*p); if (v < 0) return 0; return v;";
    same(&text("", twice), &text("", once));
    other(&text("calls++;", twice), &text("calls++;", once));
}

#[test]
fn what_may_be_another_value_each_time_is_read_as_often() {
    let twice = |look: &str| format!("{look} int f(void) {{ return look() == look(); }}");
    let once = |look: &str| format!("{look} int f(void) {{ look(); look(); return 1; }}");
    for look in [
        "extern volatile int device; static int look(void) { return device; }",
        "long time(long *); static int look(void) { return time(0); }",
        "unsigned arc4random(void); static int look(void) { return arc4random(); }",
        "static int look(void) { int x; __asm__ volatile(\"rdtsc\" : \"=a\"(x) : : \"edx\"); return x; }",
    ] {
        other(&twice(look), &once(look));
    }
    let look = "extern int device; static int look(void) { return device; }";
    same(&twice(look), &once(look));
}

#[test]
fn how_arguments_are_handed_over_is_part_of_a_call() {
    let printed = |member: &str| {
        format!(
            "int printf(const char *, ...); union value {{ double d; unsigned long u; }};\n\
             void f(union value *p) {{ printf(\"%.2f\\n\", p->{member}); }}"
        )
    };
    other(&printed("d"), &printed("u"));
    same(&printed("d"), &printed("u ? p->d : p->d"));
    let copied = |argument: &str| {
        format!(
            "struct big {{ long a[6]; }}; int outside(int, ...);\n\
             int f(struct big *p) {{ return outside(1, {argument}); }}"
        )
    };
    other(&copied("*p"), &copied("p"));
    let widened = |kind: &str| format!("void put({kind}); void f(short x) {{ put(x); }}");
    other(&widened("short"), &widened("unsigned short"));
    let called = |convention: &str| {
        format!("void put(int, int) {convention}; void f(int x) {{ put(x, 1); }}")
    };
    other(&called(""), &called("__attribute__((ms_abi))"));
}

//! What handlers and devices may do meanwhile.

use super::{other, same};

/// A program whose handler may read and write its variables between any two instructions.
fn with_handler(function: &str) -> String {
    format!(
        "#include <signal.h>\n#include <stdio.h>\n\
         int flag, level, count;\n\
         static void handler(int number) {{ if (level > 2) flag = number; }}\n\
         {function}\n\
         int main(void) {{ signal(SIGINT, handler); for (;;) f(count); }}"
    )
}

#[test]
fn what_a_handler_may_write_is_another_value_each_time() {
    let of = |body: &str| with_handler(&format!("int f(int a) {{ {body} }}"));
    other(
        &of("int x = flag; int y = flag; return x + y + a;"),
        &of("int x = flag; return x + x + a;"),
    );
    other(
        &of("return flag ? 1 : 2;"),
        &of("return flag && flag ? 1 : 2;"),
    );
    same(
        &of("int x = flag; return 2 * x;"),
        &of("int x = flag; return x + x;"),
    );
}

#[test]
fn what_a_handler_may_read_is_seen_store_by_store() {
    let of = |body: &str| with_handler(&format!("int f(int a) {{ {body} return a; }}"));
    other(&of("level = 3; level = a;"), &of("level = a;"));
    other(&of("level = 0;"), &of("level = 3; level = 0;"));
    same(
        &of("level = a + a; count = 1;"),
        &of("count = 1; level = 2 * a;"),
    );
}

#[test]
fn a_handler_does_not_matter_to_what_it_does_not_touch() {
    let of = |body: &str| with_handler(&format!("int f(int a) {{ {body} }}"));
    same(
        &of("count = 3; count = a; return count + count;"),
        &of("count = a; return 2 * a;"),
    );
}

#[test]
fn events_in_loops_come_in_order() {
    let of = |body: &str| with_handler(&format!("int f(int a) {{ int n = 0; {body} return n; }}"));
    same(
        &of("for (int i = 0; i < a; i++) n += flag;"),
        &of("int i = 0; while (a > i) { n = flag + n; i += 1; }"),
    );
    other(
        &of("for (int i = 0; i < a; i++) n += flag;"),
        &of("int x = flag; for (int i = 0; i < a; i++) n += x;"),
    );
    other(
        &of("while (!flag) n = 1;"),
        &of("int x = flag; while (!x) { n = 1; x = flag; } n += flag - flag;"),
    );
}

#[test]
fn calls_that_touch_what_a_handler_touches_keep_their_place() {
    let of = |body: &str| {
        with_handler(&format!(
            "static int get(void) {{ return flag; }}\nint f(int a) {{ {body} }}"
        ))
    };
    other(
        &of("int x = get(); return x + get() + a;"),
        &of("int x = get(); return x + x + a;"),
    );
    same(
        &of("int x = get(); return x + x + a;"),
        &of("int x = get(); return a + 2 * x;"),
    );
}

#[test]
fn volatile_accesses_happen_as_often_and_in_order() {
    same(
        "int f(volatile int *p) { int x = *p; return x + x; }",
        "int f(volatile int *p) { return 2 * *p; }",
    );
    other(
        "int f(volatile int *p) { return *p + *p; }",
        "int f(volatile int *p) { return 2 * *p; }",
    );
    other(
        "void f(volatile int *p) { *p = 1; *p = 2; }",
        "void f(volatile int *p) { *p = 2; }",
    );
    other(
        "void f(volatile int *p, volatile int *q) { *p = 1; *q = 2; }",
        "void f(volatile int *p, volatile int *q) { *q = 2; *p = 1; }",
    );
}

#[test]
fn a_copy_of_what_a_handler_touches_is_an_event() {
    let of = |body: &str| {
        format!(
            "#include <signal.h>\n#include <string.h>\n\
             struct pair {{ long a, b, c; }} from, to;\n\
             static void handler(int number) {{ if (to.a) from.b = number; }}\n\
             long f(struct pair *p) {{ {body} }}\n\
             int main(void) {{ struct pair p; signal(SIGINT, handler); for (;;) f(&p); }}"
        )
    };
    same(
        &of("struct pair x = from; return x.a + x.b;"),
        &of("struct pair x = from; return x.b + x.a;"),
    );
    other(
        &of("struct pair x = from, y = from; return x.b - y.b;"),
        &of("struct pair x = from; return x.b - x.b;"),
    );
    other(
        &of("p->a = 1; to = *p; p->a = 0; to = *p; return 0;"),
        &of("p->a = 2; to = *p; p->a = 0; to = *p; return 0;"),
    );
}

#[test]
fn a_device_that_is_read_once_more_in_a_test_is_seen() {
    other(
        "int f(volatile char *p) { int s = 0, c; while ((c = *p) != 0) s ^= c; return s; }",
        "int f(volatile char *p) { int s = 0; if (*p != 0) do s ^= *p; while (*p != 0); return s; }",
    );
    other(
        "int f(volatile int *p) { int i = 0; while (*p != 0) i++; return i; }",
        "int f(volatile int *p) { int i = 0; if (*p != 0) do { (void)*p; i++; } while (*p != 0); return i; }",
    );
}

/// A program whose function is known to code that is not here, which calls it while it runs itself.
fn with_callback(function: &str) -> String {
    format!(
        "void outside(void (*)(int));\nint flag, level, count;\n\
         static void callback(int number) {{ if (level > 2) flag = number; }}\n\
         {function}\n\
         int main(void) {{ outside(callback); for (;;) f(count); }}"
    )
}

#[test]
fn what_code_outside_calls_runs_while_that_does() {
    let of = |body: &str| with_callback(&format!("void tick(void); int f(int a) {{ {body} }}"));
    same(
        &of("int x = flag; int y = flag; return x + y + a;"),
        &of("int x = flag; return 2 * x + a;"),
    );
    other(
        &of("int x = flag; tick(); return x + flag;"),
        &of("tick(); return flag + flag;"),
    );
    other(
        &of("level = 3; tick(); level = a; return 0;"),
        &of("tick(); level = a; return 0;"),
    );
}

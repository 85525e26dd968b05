//! What is stored and read, made and copied.

use super::{other, same};

#[test]
fn stores_through_two_parameters_keep_their_order() {
    other(
        "void f(int *a, int *b) { *a = 1; *b = 2; }",
        "void f(int *a, int *b) { *b = 2; *a = 1; }",
    );
    same(
        "void f(int *a) { a[0] = 1; a[1] = 2; }",
        "void f(int *a) { a[1] = 2; a[0] = 1; }",
    );
}

#[test]
fn a_load_after_a_store_that_may_alias_is_another() {
    other(
        "int f(int *a, int *b) { int x = *b; *a = 1; return x; }",
        "int f(int *a, int *b) { *a = 1; return *b; }",
    );
    same(
        "int f(int *a) { int x = a[1]; a[0] = 1; return x; }",
        "int f(int *a) { a[0] = 1; return a[1]; }",
    );
}

#[test]
fn two_allocations_are_two_objects() {
    let head = "#include <stdlib.h>\n";
    other(
        &format!(
            "{head}int f(void) {{ char *a = malloc(1), *b = malloc(1); int r = a == b; free(a); free(b); return r; }}"
        ),
        &format!(
            "{head}int f(void) {{ char *a = malloc(1), *b = a; int r = a == b; free(a); return r; }}"
        ),
    );
}

#[test]
fn an_escaped_variable_may_be_changed_by_a_callee() {
    let head = "extern void g(int *);\n";
    other(
        &format!("{head}int f(void) {{ int x = 1; g(&x); return x; }}"),
        &format!("{head}int f(void) {{ int x = 1; g(&x); return 1; }}"),
    );
    same(
        &format!("{head}int f(void) {{ int x = 1, y = 2; g(&x); return x + y; }}"),
        &format!("{head}int f(void) {{ int x = 1; g(&x); return x + 2; }}"),
    );
}

#[test]
fn an_uninitialised_variable_is_nothing_in_particular() {
    other(
        "int f(int c) { int x; if (c) x = 1; return x; }",
        "int f(int c) { int x; if (c) x = 1; else x = 2; return x; }",
    );
}

#[test]
fn structs_are_copied_whole() {
    let head = "struct s { int a, b; char c; };\n";
    same(
        &format!("{head}void f(struct s *x, struct s *y) {{ *y = *x; }}"),
        &format!("{head}void f(struct s *x, struct s *y) {{ struct s t = *x; *y = t; }}"),
    );
    other(
        &format!("{head}void f(struct s *x, struct s *y) {{ *y = *x; }}"),
        &format!("{head}void f(struct s *x, struct s *y) {{ y->a = x->a; y->b = x->b; }}"),
    );
}

#[test]
fn a_sum_kept_in_memory_may_be_kept_in_a_variable() {
    let text = |body: &str| {
        format!(
            "static unsigned total; unsigned g(void) {{ return total; }} void f(unsigned n) {{ {body} }}"
        )
    };
    let old = text("for (unsigned i = 0; i < n; i++) total += i * i;");
    same(
        &old,
        &text("unsigned t = total; for (unsigned i = 0; i < n; i++) t += i * i; total = t;"),
    );
    other(
        &old,
        &text("unsigned t = 0; for (unsigned i = 0; i < n; i++) t += i * i; total = t;"),
    );
    // The addresses may be the same.
    other(
        "void f(unsigned *total, const unsigned *a, unsigned n) { for (unsigned i = 0; i < n; i++) *total += a[i]; }",
        "void f(unsigned *total, const unsigned *a, unsigned n) { unsigned t = *total; for (unsigned i = 0; i < n; i++) t += a[i]; *total = t; }",
    );
}

#[test]
fn a_copy_of_what_overlaps_is_undefined() {
    let text = |body: &str| {
        format!("#include <string.h>\nvoid f(char *a, char *b, unsigned long n) {{ {body} }}")
    };
    other(&text("memmove(a, b, 8);"), &text("memcpy(a, b, 8);"));
    other(&text("memmove(a, b, n);"), &text("memcpy(a, b, n);"));
    same(&text("memcpy(a, b, 8);"), &text("memmove(a, b, 8);"));
    let head = "struct s { int a, b, c; };\n";
    other(
        &format!("{head}void f(struct s *x, struct s *y) {{ struct s t = *x; *y = t; }}"),
        &format!("{head}void f(struct s *x, struct s *y) {{ *y = *x; }}"),
    );
}

#[test]
fn what_is_only_read_may_be_a_constant() {
    other(
        "int f(int *p) { return *p; }",
        "int f(int *p) { int x = *p; *p = x; return x; }",
    );
    other(
        "void f(int *p, int x) { if (*p != x) *p = x; }",
        "void f(int *p, int x) { *p = x; }",
    );
    same(
        "void f(int *p, int x) { *p = x; }",
        "void f(int *p, int x) { *p = x; *p = x; }",
    );
    same(
        "struct s { int a, b; }; void f(struct s *p, int x) { p->a = x; if (p->b) p->b = 0; }",
        "struct s { int a, b; }; void f(struct s *p, int x) { p->a = x; p->b = 0; }",
    );
    other(
        "struct s { int a, b; }; void f(struct s *p, int x) { if (x) p->a = x; if (p->b) p->b = 0; }",
        "struct s { int a, b; }; void f(struct s *p, int x) { if (x) p->a = x; p->b = 0; }",
    );
    same(
        "static int g; int h(void) { return g; } void f(int x) { if (g != x) g = x; }",
        "static int g; int h(void) { return g; } void f(int x) { g = x; }",
    );
}

#[test]
fn a_fixed_value_is_part_of_the_program() {
    let table = |last: u32| {
        format!(
            "static const int table[2] = {{3, {last}}}; int f(int x) {{ return table[x & 1]; }}"
        )
    };
    other(&table(4), &table(5));
    let first = |last: u32| {
        format!("static const int table[2] = {{3, {last}}}; int f(void) {{ return table[0]; }}")
    };
    same(&first(4), &first(5));
    let through = |last: u32| {
        format!(
            "static const int table[2] = {{3, {last}}}; static const int *const tables[1] = {{table}};\n\
             int f(int x) {{ return tables[0][x & 1]; }}"
        )
    };
    other(&through(4), &through(5));
    let unwritten =
        |value: u32| format!("static int factor = {value}; int f(int x) {{ return x & factor; }}");
    other(&unwritten(4), &unwritten(5));
    // One that is written is given, whatever it starts with.
    let written = |value: u32| {
        format!(
            "static int factor = {value}; void set(int x) {{ factor = x; }} int f(int x) {{ return x & factor; }}"
        )
    };
    same(&written(4), &written(5));
    same(
        "static int table[2] = {3, 4}; int f(int x) { return table[x & 1]; }",
        "static const int table[2] = {3, 4}; int f(int x) { return table[x & 1]; }",
    );
}

#[test]
fn free_does_nothing_to_null() {
    let head = "#include <stdlib.h>\n";
    same(
        &format!("{head}void f(char *p) {{ if (p) free(p); }}"),
        &format!("{head}void f(char *p) {{ free(p); }}"),
    );
    other(
        &format!("{head}void f(char *p) {{ if (p) free(p); }}"),
        &format!("{head}void f(char *p) {{ }}"),
    );
    other(
        &format!("{head}void f(char *p, int c) {{ if (p && c) free(p); }}"),
        &format!("{head}void f(char *p, int c) {{ free(p); }}"),
    );
}

#[test]
fn calloc_gives_zeros() {
    let text =
        |body: &str| format!("#include <stdlib.h>\nint *f(void) {{ int *p = {body} return p; }}");
    same(
        &text("malloc(8); if (!p) return 0; p[0] = 0; p[1] = 0;"),
        &text("calloc(2, 4); if (!p) return 0;"),
    );
    other(
        &text("malloc(8); if (!p) return 0; p[0] = 0;"),
        &text("calloc(2, 4); if (!p) return 0;"),
    );
    other(
        &text("malloc(8); if (!p) return 0; p[0] = 0; p[1] = 0;"),
        &text("calloc(3, 4); if (!p) return 0;"),
    );
}

#[test]
fn a_copy_keeps_what_it_does_not_write() {
    let text = |body: &str| {
        format!(
            "#include <string.h>\nstruct s {{ char a[8], b[8]; unsigned n, m; }};
             unsigned f(struct s *s) {{ if (s->n > 8) return 0; {body} }}"
        )
    };
    same(
        &text("unsigned n = s->n; memcpy(s->a, s->b, s->n); return n;"),
        &text("memcpy(s->a, s->b, s->n); return s->n;"),
    );
    same(
        &text("s->m = 0; memcpy(s->a, s->b, s->n); s->m = 1; return 0;"),
        &text("memcpy(s->a, s->b, s->n); s->m = 1; return 0;"),
    );
    other(
        &text("unsigned char c = s->a[1]; memcpy(s->a, s->b, s->n); return c;"),
        &text("memcpy(s->a, s->b, s->n); return (unsigned char)s->a[1];"),
    );
    other(
        &text("s->b[0] = 0; memcpy(s->a, s->b, s->n); s->b[0] = 1; return 0;"),
        &text("memcpy(s->a, s->b, s->n); s->b[0] = 1; return 0;"),
    );
}

#[test]
fn what_is_copied_must_not_overlap_unless_it_is_moved() {
    let text = |copy: &str| {
        format!("#include <string.h>\nvoid f(char *a, unsigned n) {{ {copy}(a, a + 1, n); }}")
    };
    same(&text("memmove"), &text("memmove"));
    other(&text("memmove"), &text("memcpy"));
}

#[test]
fn a_variable_that_no_pointer_points_to_is_changed_by_its_name_only() {
    let text = |head: &str, body: &str| {
        format!(
            "{head}void f(const unsigned short *a, unsigned n) {{ {body} }}\n\
             unsigned long get(void) {{ return total; }}\n"
        )
    };
    let old = "for (unsigned i = 0; i < n; i++) total += a[i];";
    let new = "unsigned long t = total; for (unsigned i = 0; i < n; i++) t += a[i]; total = t;";
    let hidden = "static unsigned long total;\n";
    same(&text(hidden, old), &text(hidden, new));
    let seen = "static unsigned long total;\nvoid *where(void) { return &total; }\n";
    other(&text(seen, old), &text(seen, new));
    let external = "unsigned long total;\n";
    other(&text(external, old), &text(external, new));
}

#[test]
fn tables_of_addresses_are_looked_up() {
    let head = "int g(const char *);\n";
    let chain = format!(
        "{head}int f(void) {{ if (g(\"a\")) return 0; if (g(\"b\")) return 1; return -1; }}"
    );
    let table = |second: &str| {
        format!(
            "{head}static const char *const names[] = {{\"a\", \"{second}\"}};\n\
             int f(void) {{ for (int i = 0; i < 2; i++) if (g(names[i])) return i; return -1; }}"
        )
    };
    same(&chain, &table("b"));
    other(&chain, &table("c"));
}

#[test]
fn addresses_behind_what_was_read_are_not_null() {
    let text = |first: &str, test: &str| {
        format!("const char *f(const char *p) {{ {first} while ({test}*p == ' ') p++; return p; }}")
    };
    same(&text("", "p && "), &text("if (!p) return p;", ""));
    other(&text("", "p && "), &text("", ""));
}

#[test]
fn bytes_between_a_pointer_and_what_was_accessed_are_there() {
    let head = "struct s { unsigned a, b; void *c; };\n";
    same(
        &format!("{head}void f(struct s *x, struct s y) {{ x->b = y.b; x->c = y.c; x->a = y.a; }}"),
        &format!("{head}void f(struct s *x, struct s y) {{ *x = y; }}"),
    );
    same(
        &format!("{head}unsigned f(struct s *x) {{ return x->c ? x->a : 0; }}"),
        &format!("{head}unsigned f(struct s *x) {{ unsigned a = x->a; return x->c ? a : 0; }}"),
    );
    other(
        &format!("{head}unsigned f(struct s *x) {{ return x->a ? x->b : 0; }}"),
        &format!("{head}unsigned f(struct s *x) {{ unsigned b = x->b; return x->a ? b : 0; }}"),
    );
    other(
        "unsigned f(unsigned char *x) { return x[0] | x[1] << 8 | x[2] << 16 | (unsigned)x[3] << 24; }",
        "unsigned f(unsigned char *x) { return *(unsigned *)x; }",
    );
}

#[test]
fn the_same_is_written_to_places_that_are_shown_equal() {
    let text = |at: &str| {
        format!("void f(char *p, int a, int b) {{ if (a < 0 || a > 9) return; p[{at}] = 0; }}")
    };
    same(&text("a + (b & 1) * 2"), &text("(b & 1) ? a + 2 : a"));
    other(&text("a + (b & 1) * 2"), &text("(b & 1) ? a + 1 : a"));
}

#[test]
fn what_is_freed_is_not_accessed_afterwards() {
    let version = |body: &str| {
        format!(
            "#include <stdlib.h>\n#include <sys/mman.h>\nstruct s {{ int n; char *text; }};
             static void drop(struct s *s) {{ free(s->text); free(s); }}
             int f(struct s *s, int *p, int v) {{ {body} }}"
        )
    };
    other(
        &version("int r = *p; free(p); return r;"),
        &version("free(p); int r = *p; return r;"),
    );
    other(
        &version("*p = v; free(p); return v;"),
        &version("free(p); *p = v; return v;"),
    );
    other(
        &version("int r = s->n; drop(s); return r;"),
        &version("drop(s); int r = s->n; return r;"),
    );
    other(
        &version("int r = *p; munmap(p, 4096); return r;"),
        &version("munmap(p, 4096); int r = *p; return r;"),
    );
    same(
        &version("int r = s->n; int q = *p; drop(s); return r + q + v;"),
        &version("int q = *p; int r = s->n; drop(s); return r + q + v;"),
    );
}

#[test]
fn literals_in_tables_are_their_content() {
    let of = |table: &str| format!("{table} const char *f(int i) {{ return T[i & 1]; }}");
    let tables = [
        "static const char *const T[] = {\"ab\", \"cd\"};",
        "const char *const T[] = {\"ab\", \"cd\"};",
        "static const char *T[] = {\"ab\", \"cd\"};",
        "static const char *const A[] = {\"ab\", \"cd\"}; static const char *const *T = A;",
    ];
    for old in tables {
        other(&of(old), &of(&old.replace("cd", "ce")));
        same(
            &of(old),
            &of(&format!(
                "const char *unused(void) {{ return \"cd\"; }} {old}"
            )),
        );
    }
    other(
        "static const struct { int key; const char *text; } T[] = {{1, \"ab\"}, {2, \"cd\"}};
         int f(int i) { return T[i & 1].text[0]; }",
        "static const struct { int key; const char *text; } T[] = {{1, \"ab\"}, {2, \"ce\"}};
         int f(int i) { return T[i & 1].text[0]; }",
    );
    other(
        "#include <wchar.h>\nstatic const wchar_t *const T[] = {L\"a\", L\"b\"};
         int f(int i) { return T[i & 1][0]; }",
        "#include <wchar.h>\nstatic const wchar_t *const T[] = {L\"a\", L\"c\"};
         int f(int i) { return T[i & 1][0]; }",
    );
    other(
        "int f(int i) { static const char *const T[] = {\"ab\", \"cd\"}; return T[i & 1][1]; }",
        "int f(int i) { static const char *const T[] = {\"ab\", \"ce\"}; return T[i & 1][1]; }",
    );
}

#[test]
fn what_variables_point_to_at_the_start_is_part_of_the_program() {
    let of = |text: &str| {
        format!("static char *message = \"{text}\"; char *f(void) {{ return message; }}")
    };
    other(&of("hello"), &of("world"));
    let of = |text: &str| {
        format!(
            "static char text[] = \"{text}\"; static char *message = text;
             char f(void) {{ return message[0]; }}"
        )
    };
    other(&of("hello"), &of("world"));
    let of = |text: &str| {
        format!(
            "static const char text[] = \"{text}\"; static const char *message = text;
             void set(const char *to) {{ message = to; }}
             char f(void) {{ return message[0]; }}"
        )
    };
    other(&of("hello"), &of("world"));
}

#[test]
fn what_nothing_may_define_may_be_null() {
    let declared = "extern int maybe(int) __attribute__((weak));";
    let of = |text: &str| format!("{declared} int f(int a) {{ {text} }}");
    other(&of("return maybe ? 1 : 0;"), &of("return 1;"));
    other(
        &of("return maybe ? 1 : 0;"),
        "int maybe(int a) { return a; } int f(int a) { return maybe ? 1 : 0; }",
    );
    same(
        &of("return maybe ? maybe(a) : 0;"),
        &of("if (!maybe) return 0; return maybe(a);"),
    );
    let of =
        |text: &str| format!("extern int maybe __attribute__((weak)); int f(int a) {{ {text} }}");
    other(&of("return &maybe ? 1 : 0;"), &of("return 1;"));
    other(
        &of("return &maybe ? 1 : 0;"),
        "int maybe = 3; int f(int a) { return &maybe ? 1 : 0; }",
    );
    same(
        &of("return &maybe ? maybe : a;"),
        &of("int *at = &maybe; if (at) return *at; return a;"),
    );
}

#[test]
fn another_definition_may_take_the_place_of_a_weak_one() {
    let weak = "__attribute__((weak))";
    other(
        &format!("{weak} const int k = 5; int f(void) {{ return k; }}"),
        &format!("{weak} const int k = 5; int f(void) {{ return 5; }}"),
    );
    other(
        &format!("{weak} const int k = 5; int f(void) {{ return k; }}"),
        &format!("{weak} const int k = 6; int f(void) {{ return k; }}"),
    );
    same(
        &format!("{weak} const int k = 5; int f(void) {{ return k + k; }}"),
        &format!("{weak} const int k = 5; int f(void) {{ return 2 * k; }}"),
    );
    other(
        &format!("{weak} int g(void) {{ return 5; }} int f(void) {{ return g(); }}"),
        &format!("{weak} int g(void) {{ return 5; }} int f(void) {{ return 5; }}"),
    );
    other(
        &format!("{weak} int g(void) {{ return 5; }} int f(void) {{ return g(); }}"),
        "int g(void) { return 5; } int f(void) { return g(); }",
    );
    same(
        &format!("{weak} int g(void) {{ return 5; }} int f(void) {{ return g() + 1; }}"),
        &format!("{weak} int g(void) {{ return 5; }} int f(void) {{ return 1 + g(); }}"),
    );
    let alias = "static int g(void) { return 5; }
                 int h(void) __attribute__((weak, alias(\"g\")));";
    other(
        &format!("{alias} int f(void) {{ return h(); }}"),
        &format!("{alias} int f(void) {{ return g(); }}"),
    );
}

#[test]
fn what_must_be_aligned_is_more_than_a_copy() {
    let of = |text: &str| {
        format!(
            "#include <string.h>\nstruct s {{ char c; int i; }}; static char table[16]; static int words[4];
             int f(int i) {{ int v; {text} }}"
        )
    };
    let copied = "memcpy(&v, table + 1, 4); return v;";
    other(&of(copied), &of("return *(int *)(table + 1);"));
    same(
        &of("return *(int *)table;"),
        &of("v = *(int *)table; return v;"),
    );
    same(
        &of("struct s s; s.i = i; return s.i;"),
        &of("struct s s; s.c = 0; s.i = i; int *p = &s.i; return *p;"),
    );
    same(
        &of("return words[i & 3] + words[1];"),
        &of("int *p = words; return p[1] + *(p + (i & 3));"),
    );
}

#[test]
fn what_is_assumed_of_an_alignment_is_not_new() {
    let of = |text: &str| format!("int f(int *p) {{ {text} return *p; }}");
    other(&of(""), &of("p = __builtin_assume_aligned(p, 64);"));
    same(&of("p = __builtin_assume_aligned(p, 64);"), &of(""));
}

#[test]
fn a_fixed_value_is_seen_through_what_is_called() {
    let of = |limit: &str| {
        format!(
            "static int limit = {limit};\nstatic int get(void) {{ return limit; }}\n\
             int f(int a) {{ return a + get(); }}"
        )
    };
    other(&of("5"), &of("6"));
    same(&of("5"), &of("2 + 3"));
}

#[test]
fn a_variable_that_allows_less_is_another() {
    let of = |declared: &str| {
        format!("{declared}\nvoid f(int i) {{ char *p = (char *)line; p[i] = 1; }}")
    };
    other(&of("char line[64];"), &of("char line[32];"));
    other(
        &of("char line[8] = \"abc\";"),
        &of("const char line[8] = \"abc\";"),
    );
    same(&of("char line[32];"), &of("char line[64];"));
    let called = |length: &str| {
        format!(
            "static char line[{length}]; void set(char *p, unsigned i) {{ p[i & 15] = 1; }}\n\
             void f(unsigned i) {{ set(line, i); }}"
        )
    };
    other(&called("16"), &called("8"));
    let word = |aligned: &str| {
        format!("{aligned} char line[9]; long f(void) {{ return *(long *)(void *)line; }}")
    };
    other(&word("_Alignas(8)"), &word(""));
}

#[test]
fn accesses_that_may_meet_in_some_memory_keep_their_order() {
    other(
        "int count, *slots; void f(int v) { count++; slots[0] = v; }",
        "int count, *slots; void f(int v) { slots[0] = v; count++; }",
    );
    other(
        "int g; int f(int *p) { g = 1; *p = 5; return g; }",
        "int g; int f(int *p) { *p = 5; g = 1; return g; }",
    );
    same(
        "int count, slots[3]; void f(int v) { count++; slots[0] = v; }",
        "int count, slots[3]; void f(int v) { slots[0] = v; count++; }",
    );
}

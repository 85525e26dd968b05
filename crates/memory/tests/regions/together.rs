//! What must be seen to meet.

use super::compiled::compile;

#[test]
fn store_through_alias_is_seen_by_load() {
    let program = compile(
        r#"
int run(int c) {
    int a = 1, b = 2, *p = c ? &a : &b;
    *p = 3;            // store
    return a + b;      // load
}
"#,
    );
    program.assert_together("store", "load");
}

#[test]
fn callers_that_alias_two_formals_merge_them() {
    let program = compile(
        r#"
static int both(int *left, int *right) {
    *left = 1;           // left
    return *right;       // right
}
int run(void) {
    int a, b;
    return both(&a, &b) + both(&a, &a);
}
"#,
    );
    program.assert_together("left", "right");
}

#[test]
fn a_caller_of_a_caller_that_aliases_two_formals_merges_them() {
    let program = compile(
        r#"
struct s { int x; struct s *next; };
static int inner(struct s *left, struct s *right) {
    left->next->x = 1;           // left
    return right->next->x;       // right
}
static int outer(struct s *a, struct s *b) { return inner(a, b); }
int run(struct s *one) {
    struct s two = *one;
    return outer(one, &two);
}
"#,
    );
    program.assert_together("left", "right");
}

#[test]
fn a_formal_that_may_be_a_global_meets_it() {
    let program = compile(
        r#"
static int counter, other;
static int step(int *at) {
    *at = 1;             // formal
    other = 3;           // other
    return counter;      // global
}
int run(void) { return step(&counter); }
"#,
    );
    program.assert_together("formal", "global");
    program.assert_apart("formal", "other");
}

#[test]
fn members_passed_by_address_meet_the_struct() {
    let program = compile(
        r#"
struct s { int a, b, c; };
static int swap(struct s *whole, int *part) {
    *part = 1;             // part
    return whole->a        // a
         + whole->b        // b
         + whole->c;       // c
}
int run(struct s *s) { return swap(s, &s->b); }
"#,
    );
    program.assert_together("part", "b");
    program.assert_apart("part", "a");
    program.assert_apart("part", "c");
}

#[test]
fn union_members_share_a_region() {
    let program = compile(
        r#"
union u { int number; char bytes[4]; short halves[2]; };
int run(union u *u, int i) {
    u->number = 1;          // number
    u->bytes[i] = 2;        // byte
    return u->halves[1];    // half
}
"#,
    );
    program.assert_together("number", "byte");
    program.assert_together("number", "half");
}

#[test]
fn recursion_sees_what_it_builds() {
    let program = compile(
        r#"
#include <stdlib.h>
struct tree { struct tree *left, *right; int value; };
static struct tree *build(int depth) {
    if (!depth) return 0;
    struct tree *tree = malloc(sizeof *tree);
    tree->left = build(depth - 1);
    tree->right = build(depth - 1);
    tree->value = depth;          // built
    return tree;
}
static int sum(struct tree *tree) {
    if (!tree) return 0;
    return tree->value + sum(tree->left) + sum(tree->right);  // summed
}
int main(void) {
    struct tree *tree = build(3);
    tree->left->right->value = 5;    // written
    return tree->right->value        // read
         + sum(tree);
}
"#,
    );
    program.assert_together("written", "read");
}

#[test]
fn calls_through_pointers_bind_like_named_ones() {
    let program = compile(
        r#"
static int one, two;
static void set(int *where) { *where = 1; }
static void clear(int *where) { *where = 0; }   // clear
static void (*table[])(int *) = { set, clear };
static int see(int *where, int which) {
    table[which](where);
    *where = 5;                       // where
    return one;                       // one
}
int run(int which) { return see(&one, which); }
"#,
    );
    program.assert_together("where", "one");
}

#[test]
fn pointers_in_copied_structs_lead_to_the_same_memory() {
    let program = compile(
        r#"
#include <string.h>
struct holder { int *where; long rest; };
int run(void) {
    int x = 1, y = 2;
    struct holder a = { &x, 0 }, b, c;
    memcpy(&b, &a, sizeof a);
    c = b;
    *c.where = 7;        // through the copy
    y = 3;
    return x;            // direct
}
int visible(struct holder *from, struct holder *to) {
    struct holder middle = *from;
    *to = middle;
    *to->where = 1;            // to
    return *from->where;       // from
}
int call(void) {
    int z = 0;
    struct holder a = { &z, 0 }, b = { 0, 0 };
    visible(&a, &b);
    *b.where = 3;      // copied by the callee
    return z;          // z
}
"#,
    );
    program.assert_together("through the copy", "direct");
    program.assert_together("to", "from");
    program.assert_together("copied by the callee", "z");
}

#[test]
fn pointers_copied_byte_by_byte_and_word_by_word_are_followed() {
    let program = compile(
        r#"
static void bytes(char *to, const char *from, int count) {
    for (int i = 0; i < count; i++) to[i] = from[i];
}
static void words(unsigned *to, const unsigned *from, int count) {
    while (count--) *to++ = *from++;
}
int run(void) {
    int x = 1, y = 2, *p = &x, *q = 0, *r = &y, *s = 0;
    bytes((char *)&q, (char *)&p, sizeof p);
    words((unsigned *)&s, (unsigned *)&r, 2);
    *q = 3;          // by bytes
    *s = 4;          // by words
    return x         // x
         + y;        // y
}
"#,
    );
    program.assert_together("by bytes", "x");
    program.assert_together("by words", "y");
}

#[test]
fn integers_that_were_pointers_are_followed() {
    let program = compile(
        r#"
#include <stdint.h>
uintptr_t kept;
int run(void) {
    int x = 1;
    kept = (uintptr_t)&x | 1;
    int *back = (int *)(kept & ~(uintptr_t)1);
    *back = 2;       // back
    return x;        // x
}
"#,
    );
    program.assert_together("back", "x");
}

#[test]
fn pieces_of_a_pointer_put_together_are_followed() {
    let program = compile(
        r#"
#include <stdint.h>
static unsigned char buffer[8];
static void save(uint64_t value) {
    for (int i = 0; i < 8; i++) buffer[i] = value >> (8 * i);
}
static uint64_t restore(void) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) value = value << 8 | buffer[i];
    return value;
}
int run(void) {
    int x = 1;
    save((uintptr_t)&x);
    *(int *)(uintptr_t)restore() = 2;   // back
    return x;                           // x
}
"#,
    );
    program.assert_together("back", "x");
}

#[test]
fn variadic_arguments_are_followed() {
    let program = compile(
        r#"
#include <stdarg.h>
static void set_all(int count, ...) {
    va_list list;
    va_start(list, count);
    while (count--) *va_arg(list, int *) = count;    // set
    va_end(list);
}
static void through(int count, va_list list) { *va_arg(list, int *) = count; }
static void set_one(int count, ...) {
    va_list list;
    va_start(list, count);
    through(count, list);
    va_end(list);
}
int x, y;
int run(void) {
    int *p = &x;
    set_all(2, &x, &y);
    set_one(1, p);
    return x;          // x
}
"#,
    );
    program.assert_together("set", "x");
}

#[test]
fn what_escapes_to_unknown_code_meets_what_comes_back() {
    let program = compile(
        r#"
extern void keep(int **where);
extern int *give(void);
static int hidden;
int run(void) {
    int x = 1, y = 2, *p = &x;
    keep(&p);
    *give() = 3;       // given
    hidden = 4;        // hidden
    return x           // x
         + y;
}
"#,
    );
    program.assert_together("given", "x");
    program.assert_apart("given", "hidden");
}

#[test]
fn callbacks_get_what_the_library_hands_them() {
    let program = compile(
        r#"
#include <stdlib.h>
static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;     // compared
}
static int table[10];
int run(void) {
    qsort(table, 10, sizeof(int), compare);
    return table[3];                              // element
}
"#,
    );
    program.assert_together("compared", "element");
}

#[test]
fn memory_from_realloc_holds_what_the_old_one_held() {
    let program = compile(
        r#"
#include <stdlib.h>
int run(void) {
    int x = 1, **table = malloc(8);
    table[0] = &x;
    table = realloc(table, 16);
    *table[0] = 2;     // grown
    return x;          // x
}
"#,
    );
    program.assert_together("grown", "x");
}

#[test]
fn globals_initialised_with_addresses_lead_there() {
    let program = compile(
        r#"
static int x, y;
static int *table[] = { &x, &y };
static struct { char *name; int *where; } rows[2] = { { "x", &x }, { "y", &y } };
int run(int i) {
    *table[i] = 1;            // by table
    *rows[i].where = 2;       // by rows
    return x;                 // x
}
"#,
    );
    program.assert_together("by table", "x");
    program.assert_together("by rows", "x");
}

#[test]
fn arguments_passed_by_value_carry_their_pointers() {
    let program = compile(
        r#"
struct big { long a, b, c; int *where; };
static void set(struct big big) { *big.where = 1; big.a = 2; }
static struct big make(int *where) { struct big big = { 1, 2, 3, where }; return big; }
int run(void) {
    int x = 0;
    struct big big = make(&x);
    set(big);
    *big.where = 4;    // returned
    return x;          // x
}
"#,
    );
    program.assert_together("returned", "x");
}

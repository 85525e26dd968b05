//! What is told apart.

use super::compiled::compile;

#[test]
fn two_lists_from_one_wrapper_are_two_regions() {
    let program = compile(
        r#"
#include <stdlib.h>
struct node { int value; struct node *next; };
static void *checked(size_t size) {
    void *memory = malloc(size);
    if (!memory) abort();
    return memory;
}
static struct node *push(struct node *list, int value) {
    struct node *node = checked(sizeof *node);
    node->value = value;
    node->next = list;
    return node;
}
int main(int argc, char **argv) {
    struct node *left = 0, *right = 0;
    for (int i = 0; i < argc; i++) {
        left = push(left, i);
        right = push(right, 2 * i);
    }
    left->value = 1;           // left value
    right->value = 2;          // right value
    left->next->value = 3;     // second left value
    left->next = 0;            // left next
    return 0;
}
"#,
    );
    program.assert_apart("left value", "right value");
    program.assert_apart("left next", "left value");
    program.assert_together("left value", "second left value");
}

#[test]
fn fields_of_one_struct_are_apart() {
    let program = compile(
        r#"
struct pair { int first; long second; };
int use(struct pair *pair) {
    pair->first = 1;     // first
    pair->second = 2;    // second
    return pair->first;  // first again
}
"#,
    );
    program.assert_apart("first", "second");
    program.assert_together("first", "first again");
}

#[test]
fn members_of_an_array_of_records_are_apart() {
    let program = compile(
        r#"
struct item { int key; char *text; };
void fill(struct item *items, int count) {
    for (int i = 0; i < count; i++) {
        items[i].key = i;      // key
        items[i].text = 0;     // text
    }
    items[0].key = 7;          // first key
    for (struct item *at = items; at < items + count; at++)
        at->text = "x";        // walked text
}
"#,
    );
    program.assert_apart("key", "text");
    program.assert_together("key", "first key");
    program.assert_together("text", "walked text");
    program.assert_apart("first key", "walked text");
}

#[test]
fn an_array_inside_a_struct_leaves_the_other_members_alone() {
    let program = compile(
        r#"
struct record { int count; int values[10]; long total; };
void add(struct record *record, int i) {
    record->values[i] = 1;   // values
    record->count++;         // count
    record->total = 0;       // total
}
"#,
    );
    program.assert_apart("values", "count");
    program.assert_apart("values", "total");
}

#[test]
fn copying_a_struct_makes_no_one_object_of_two() {
    let program = compile(
        r#"
struct point { int x; int y; int *extra; };
int run(int *p, int *q) {
    struct point a, b, *pa = &a, *pb = &b;
    a.extra = p;
    b.extra = q;
    a.x = 1;
    b = a;
    int *kept[2] = { &a.x, &b.x };
    pa->x = 2;              // of a
    pb->x = 3;              // of b
    return *kept[0] + a.extra[0] + b.extra[0];
}
"#,
    );
    program.assert_apart("of a", "of b");
}

#[test]
fn callers_keep_what_one_callee_writes_apart() {
    let program = compile(
        r#"
static int a, b;
static void set(int *where, int value) { *where = value; }
int run(void) {
    set(&a, 1);
    set(&b, 2);
    a++;           // a
    b++;           // b
    return a + b;
}
"#,
    );
    program.assert_apart("a", "b");
}

#[test]
fn a_difference_of_addresses_is_no_pointer() {
    let program = compile(
        r#"
#include <stddef.h>
struct text { char *start; ptrdiff_t length; };
void measure(struct text *left, struct text *right, char *a, char *b) {
    left->start = a;
    right->start = b;
    left->length = a - left->start;
    right->length = b - right->start + left->length;
    left->start[0] = 1;    // left text
    right->start[0] = 1;   // right text
}
"#,
    );
    program.assert_apart("left text", "right text");
}

#[test]
fn string_functions_leave_the_members_of_a_struct_apart() {
    let program = compile(
        r#"
#include <string.h>
struct person { char name[20]; int age; struct person *friend; };
void rename_person(struct person *person, const char *name) {
    strcpy(person->name, name);
    person->age = strlen(person->name);   // age
    struct person *friend = person->friend;
    friend->age = 1;                      // friend age
    person->friend = 0;                   // friend
}
"#,
    );
    program.assert_apart("friend", "friend age");
}

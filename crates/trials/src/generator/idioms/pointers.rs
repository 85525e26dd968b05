//! Where pointers go: through allocation wrappers, unions, byte copies, integers, variable
//! arguments, structs by value. Compilers lose pointers that are copied byte by byte where they
//! see the loop, so such loops are called through a volatile pointer.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "wrapped",
        includes: &["stdlib.h"],
        definitions: r#"
struct chain {
    struct chain *next;
    int *payload;
};
struct crate {
    int used;
    struct chain *rows[4];
};
static void *xmalloc(size_t size) {
    void *made = malloc(size);
    if (made == NULL) {
        abort();
    }
    return made;
}
static void *xzalloc(size_t size) {
    return memset(xmalloc(size), 0, size);
}
static int *boxed_int(int value) {
    int *made = xmalloc(sizeof(int));
    *made = value;
    return made;
}
static struct chain *link_chain(struct chain *rest, int value) {
    struct chain *made = xmalloc(sizeof(struct chain));
    made->next = rest;
    made->payload = boxed_int(value);
    return made;
}
static unsigned drop_crate(struct crate *crate) {
    unsigned total = 0;
    for (int row = 0; row < 4; row++) {
        struct chain *at = crate->rows[row];
        while (at) {
            struct chain *next = at->next;
            total = total * 5u + (unsigned)*at->payload;
            free(at->payload);
            free(at);
            at = next;
        }
    }
    free(crate);
    return total;
}
"#,
        body: r#"
struct crate *crate# = xzalloc(sizeof(struct crate));
int *apart# = boxed_int($1);
for (int i# = 0; i# <= $2; i#++) {
    struct chain **row# = &crate#->rows[(i# + $3) % 4];
    *row# = link_chain(*row#, i# ^ $0);
    crate#->used++;
}
if (crate#->rows[1] && crate#->rows[2]) {
    *crate#->rows[1]->payload += 1 - (*crate#->rows[2]->payload & 1);
    int *held# = crate#->rows[1]->payload;
    crate#->rows[1]->payload = crate#->rows[2]->payload;
    crate#->rows[2]->payload = held#;
}
*apart# ^= crate#->used;
mix((unsigned long long)*apart#);
mix(drop_crate(crate#));
free(apart#);
"#,
        work: 900,
    },
    Idiom {
        name: "tagged",
        includes: &["string.h"],
        definitions: r#"
union handle {
    int *number;
    const char *text;
    void *any;
    unsigned char raw[8];
};
struct tagged {
    int tag;
    union handle handle;
};
static int tagged_value(struct tagged given) {
    switch (given.tag) {
    case 0:
        return *given.handle.number;
    case 1:
        return given.handle.text[0];
    default:
        return given.handle.any != NULL;
    }
}
static void hand_over(union handle *to, const union handle *from) {
    for (int i = 0; i < 8; i++) {
        to->raw[i] = from->raw[i];
    }
}
static void (*volatile any_hand)(union handle *, const union handle *) = hand_over;
"#,
        body: r#"
int target# = $0;
int other# = $1;
struct tagged all#[3] = {{0, {.number = &target#}}, {1, {.text = $5}}, {2, {.any = &other#}}};
mix((unsigned long long)tagged_value(all#[$2 % 3]));
all#[2].tag = 0;
union handle moved#;
any_hand(&moved#, &all#[$2 & 2].handle);
*(int *)moved#.any ^= 3;
struct tagged copy#;
memcpy(&copy#, &all#[2], sizeof(copy#));
*copy#.handle.number = tagged_value(copy#) / 2;
mix((unsigned long long)target#);
mix((unsigned long long)other#);
"#,
        work: 300,
    },
    Idiom {
        name: "byte_copies",
        includes: &["string.h"],
        definitions: r#"
struct holder {
    char mark;
    int *first;
    short middle;
    int *last;
};
static void swap_any(void *one, void *other, size_t size) {
    unsigned char spare[64];
    assert(size <= sizeof(spare));
    memcpy(spare, one, size);
    memmove(one, other, size);
    memcpy(other, spare, size);
}
static void copy_bytes(void *to, const void *from, size_t size) {
    unsigned char *into = to;
    const unsigned char *at = from;
    while (size-- > 0) {
        *into++ = *at++;
    }
}
static void (*volatile any_copier)(void *, const void *, size_t) = copy_bytes;
"#,
        body: r#"
int cells#[3] = {$0, $1, $2};
struct holder one#;
struct holder two#;
memset(&one#, 0, sizeof(one#));
memset(&two#, 0, sizeof(two#));
one#.first = &cells#[0];
one#.last = &cells#[1];
two#.first = &cells#[2];
two#.last = one#.first;
swap_any(&one#, &two#, sizeof(one#));
*one#.first = 1 + $3;
swap_any(&one#.first, &two#.last, sizeof(int *));
*one#.first ^= 6;
struct holder again#;
any_copier(&again#, $2 > 2 ? &one# : &two#, sizeof(again#));
*again#.last = 2 - $3;
int *alone#;
any_copier(&alone#, &again#.first, sizeof(alone#));
*alone# = *alone# / 3;
mix((unsigned long long)cells#[0]);
mix((unsigned long long)cells#[1]);
mix((unsigned long long)cells#[2]);
"#,
        work: 700,
    },
    Idiom {
        name: "hidden",
        includes: &["stdint.h"],
        definitions: r#"
struct marked {
    int value;
    uint64_t next;
};
static uint64_t mark_pointer(struct marked *target, int mark) {
    return (uint64_t)target | (uint64_t)(mark & 3);
}
static struct marked *bare_pointer(uint64_t word) {
    return (struct marked *)(word & ~(uint64_t)3);
}
"#,
        body: r#"
struct marked third# = {$0, 0};
struct marked second# = {$1, mark_pointer(&third#, 1)};
struct marked first# = {$2, mark_pointer(&second#, $3)};
int marks# = 0;
for (struct marked *at# = &first#; at#; at# = bare_pointer(at#->next)) {
    at#->value = at#->value / 2 + marks#;
    marks# += (int)(at#->next & 3);
}
mix((unsigned long long)(first#.value ^ second#.value ^ third#.value));
mix((unsigned long long)marks#);
"#,
        work: 200,
    },
    Idiom {
        name: "pointers_behind_dots",
        includes: &["stdarg.h"],
        definitions: r#"
struct target {
    int *cell;
    int (*change)(int);
};
static int halved(int value) {
    return value / 2;
}
static int flipped(int value) {
    return ~value;
}
static int change_listed(int count, va_list list) {
    int changed = 0;
    for (int i = 0; i < count; i++) {
        int *cell = va_arg(list, int *);
        struct target *other = va_arg(list, struct target *);
        *cell = other->change(*cell);
        *other->cell += changed & 1;
        changed++;
    }
    return changed;
}
static int change_all(int count, ...) {
    va_list list;
    va_start(list, count);
    int changed = change_listed(count, list);
    va_end(list);
    return changed;
}
"#,
        body: r#"
int cells#[4] = {$0, $1, $2, 5};
struct target one# = {&cells#[3], halved};
struct target two# = {&cells#[2], $3 & 1 ? flipped : halved};
mix((unsigned long long)change_all(2, &cells#[0], &one#, &cells#[1], &two#));
mix((unsigned long long)change_all(4, cells#, &two#, cells# + 1, &one#, &cells#[3], &one#, &cells#[2], &two#));
for (int i# = 0; i# < 4; i#++) {
    mix((unsigned long long)cells#[i#]);
}
"#,
        work: 600,
    },
    Idiom {
        name: "spans",
        includes: &[],
        definitions: r#"
struct span {
    int *start;
    long length;
};
struct window {
    struct span left;
    struct span right;
    int *focus;
};
static struct span part_of(struct span whole, long from) {
    struct span made = {whole.start + from, whole.length - from};
    return made;
}
static struct window open_window(struct span whole, long at) {
    struct window made;
    made.left = whole;
    made.left.length = at;
    made.right = part_of(whole, at);
    made.focus = made.right.length > 0 ? made.right.start : whole.start;
    return made;
}
static struct window shifted(struct window given) {
    if (given.right.length > 1) {
        given.focus = ++given.right.start;
        given.right.length--;
        given.left.length++;
    }
    *given.focus ^= 9;
    return given;
}
static int *focus_of(struct window given, int last) {
    return last ? &given.left.start[given.left.length - 1] : given.focus;
}
"#,
        body: r#"
int cells#[6] = {$0, 1, $1, 3, $2, 5};
struct span whole# = {cells#, 6};
struct window window# = open_window(whole#, 1 + $3 % 4);
window# = shifted(shifted(window#));
*focus_of(window#, $2 & 1) -= cells#[1] & 1;
struct span tail# = part_of(part_of(whole#, 1), 2);
tail#.start[$3 % 3] = *window#.focus / 2;
for (int i# = 0; i# < 6; i#++) {
    mix((unsigned long long)cells#[i#]);
}
"#,
        work: 400,
    },
];

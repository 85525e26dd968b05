//! Structures at work: objects with function tables, large results by value, bit-fields, state in
//! static locals, cursors over arrays.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "shapes",
        includes: &[],
        definitions: r#"
struct shape;
struct behaviour {
    const char *label;
    long (*area)(const struct shape *);
    void (*grow)(struct shape *, int);
};
struct shape {
    const struct behaviour *behaviour;
    int width;
    int height;
};
static long area_box(const struct shape *shape) {
    return (long)shape->width * shape->height;
}
static long area_square(const struct shape *shape) {
    return (long)shape->width * shape->width;
}
static void grow_box(struct shape *shape, int by) {
    shape->width = (int)((unsigned)shape->width + (unsigned)by);
    shape->height ^= by;
}
static void grow_square(struct shape *shape, int by) {
    shape->width = (shape->width & 0xfff) + (by & 15);
}
static const struct behaviour behaviours[] = {{"box", area_box, grow_box}, {.grow = grow_square, .label = "square", .area = area_square}};
"#,
        body: r#"
struct shape shapes#[3] = {{&behaviours[0], $0, 2}, {behaviours + 1, $2, 0}, {.behaviour = &behaviours[$3 & 1], .height = 9}};
for (int i# = 0; i# < 3; i#++) {
    struct shape *shape# = &shapes#[i#];
    shape#->behaviour->grow(shape#, $1);
    printf("%s %ld\n", shape#->behaviour->label, shape#->behaviour->area(shape#));
}
"#,
        work: 400,
    },
    Idiom {
        name: "large",
        includes: &[],
        definitions: r#"
struct large {
    long numbers[5];
    char mark;
};
struct pair {
    int first;
    float second;
};
struct floats {
    double x;
    double y;
};
struct mixed {
    long whole;
    double real;
};
static struct large fill_large(struct large given, int value) {
    for (int i = 0; i < 5; i++) {
        given.numbers[i] ^= (long)value << i;
    }
    given.mark = (char)('a' + (value & 15));
    return given;
}
static struct pair swap_pair(struct pair given, struct mixed other) {
    struct pair made = {(int)other.whole, (float)given.first + given.second};
    return made;
}
static struct mixed mix_floats(struct floats one, struct pair two) {
    return (struct mixed){.whole = two.first, .real = one.x * one.y};
}
"#,
        body: r#"
struct large zero# = {{0}, 'z'};
struct large made# = fill_large(fill_large(zero#, $2), $3);
printf("large %ld %ld %c\n", made#.numbers[0], made#.numbers[4], made#.mark);
struct pair pair# = {$0, 0.25f};
struct mixed mixed# = mix_floats((struct floats){$2, 0.5}, pair#);
pair# = swap_pair(pair#, mixed#);
mix((unsigned long long)pair#.first);
mix_double(pair#.second);
mix_double(mixed#.real);
zero# = made#;
mix((unsigned long long)zero#.numbers[$2 % 5]);
"#,
        work: 500,
    },
    Idiom {
        name: "fields",
        includes: &[],
        definitions: r#"
struct fields {
    unsigned low : 3;
    int middle : 7;
    unsigned flag : 1;
    unsigned char whole;
    unsigned high : 20;
    int wide : 31;
};
struct tight {
    char tag;
    int value;
} __attribute__((packed));
"#,
        body: r#"
struct fields fields# = {5, -3, 1, 200, 99999, $0 & 0xffff};
fields#.low = (unsigned)$2;
fields#.middle = $3 * 5;
fields#.high += (unsigned)$1;
fields#.flag ^= 1;
fields#.whole++;
fields#.wide -= 1;
printf("fields %u %d %u %d %u %d\n", (unsigned)fields#.low, (int)fields#.middle, (unsigned)fields#.flag, fields#.whole, (unsigned)fields#.high, (int)fields#.wide);
struct tight packed#[2] = {{'a', $0}, {'b', $1}};
packed#[1].value ^= packed#[0].value;
mix((unsigned long long)packed#[1].value + sizeof(packed#));
"#,
        work: 300,
    },
    Idiom {
        name: "remembering",
        includes: &[],
        definitions: r#"
static unsigned remember(unsigned value) {
    static unsigned calls = 0;
    static unsigned recent[4] = {1, 2, 3};
    unsigned old = recent[calls % 4];
    recent[calls++ % 4] = value;
    return old + calls;
}
static const char *name_of(int code) {
    static const char *const names[] = {"zero", "one", "two"};
    return code >= 0 && code < 3 ? names[code] : "many";
}
"#,
        body: r#"
mix(remember((unsigned)$0));
mix(remember((unsigned)$2));
printf("name %s %c\n", name_of($2), *name_of($3));
"#,
        work: 200,
    },
    Idiom {
        name: "cursors",
        includes: &[],
        definitions: r#"
static int *largest(int *first, int *last) {
    int *best = first;
    for (int *at = first; at != last; ++at) {
        if (*at > *best) {
            best = at;
        }
    }
    return best;
}
static void point_at(int **cursor, int *target) {
    *cursor = target;
}
"#,
        body: r#"
int cells#[6] = {$0, $2, $1, $3, -1, 50};
int *cursor# = cells#;
int **indirect# = &cursor#;
point_at(indirect#, largest(cells# + $2 % 3, cells# + 4));
**indirect# = 7;
printf("cursor %ld %d\n", (long)(cursor# - cells#), cells#[$3 % 6]);
int (*row#)[3] = (int (*)[3])cells#;
mix((unsigned long long)row#[1][$2 % 3]);
const int *const fixed# = &cells#[5];
mix((unsigned long long)*(fixed# - 2));
mix((unsigned long long)(cursor# >= cells# && cursor# < &cells#[6]));
"#,
        work: 400,
    },
    Idiom {
        name: "queue",
        includes: &[],
        definitions: r#"
struct queue {
    unsigned char ring[8];
    unsigned head;
    unsigned tail;
};
static int enqueue(struct queue *queue, unsigned char value) {
    if (queue->tail - queue->head == 8) {
        return 0;
    }
    queue->ring[queue->tail++ % 8] = value;
    return 1;
}
static int dequeue(struct queue *queue) {
    return queue->head == queue->tail ? -1 : queue->ring[queue->head++ % 8];
}
"#,
        body: r#"
struct queue queue# = {.head = (unsigned)$0, .tail = (unsigned)$0};
int refused# = 0;
for (int i# = 0; i# < $2; i#++) {
    refused# += !enqueue(&queue#, (unsigned char)(i# * $3));
    if (i# & 1) {
        mix((unsigned long long)dequeue(&queue#));
    }
}
int value# = 0;
while ((value# = dequeue(&queue#)) >= 0) {
    mix((unsigned long long)value#);
}
mix((unsigned long long)refused#);
"#,
        work: 900,
    },
];

//! Calls through pointers: callbacks with context, tables, chosen and stored functions, handlers
//! of signals, jumps out of callbacks.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "visitors",
        includes: &[],
        definitions: r#"
struct tally {
    long total;
    int *largest;
    void (*then)(struct tally *, int *);
};
static void add_up(struct tally *tally, int *cell) {
    tally->total += *cell & 1023;
}
static void keep_largest(struct tally *tally, int *cell) {
    if (!tally->largest || *tally->largest < *cell) {
        tally->largest = cell;
    }
    add_up(tally, cell);
}
static void visit_cells(int *cells, int count, void (*visit)(void *, int *), void *context) {
    for (int i = 0; i < count; i++) {
        visit(context, &cells[i]);
    }
}
static void visit_one(void *context, int *cell) {
    struct tally *tally = context;
    tally->then(tally, cell);
}
static void clear_one(void *context, int *cell) {
    int *count = context;
    *cell = (*count)++;
}
"#,
        body: r#"
int cells#[5] = {$0, $1, $2, -7, 40};
struct tally tally# = {0, NULL, $3 % 2 ? add_up : keep_largest};
visit_cells(cells#, 5, visit_one, &tally#);
if (tally#.largest) {
    *tally#.largest = 1;
}
int count# = $2;
visit_cells(cells# + 1, $3 % 4, clear_one, &count#);
mix((unsigned long long)tally#.total);
mix((unsigned long long)(cells#[0] ^ cells#[1] ^ cells#[2]));
"#,
        work: 500,
    },
    Idiom {
        name: "chosen",
        includes: &[],
        definitions: r#"
static int step_up(int value) {
    return value < 1000 ? value + 1 : value;
}
static int step_down(int value) {
    return value > -1000 ? value - 1 : value;
}
static int step_none(int value) {
    return value;
}
static int (*choose_step(int which))(int) {
    switch (which) {
    case 0:
        return step_up;
    case 1:
        return step_down;
    default:
        return step_none;
    }
}
static void choose_into(int (**into)(int), int which) {
    *into = choose_step(which % 3);
}
static int (*last_step)(int) = step_none;
struct steps {
    int (*rows[3])(int);
    int (**current)(int);
};
"#,
        body: r#"
int (*first#)(int) = choose_step($2 % 4);
int (*second#)(int) = NULL;
choose_into(&second#, $3);
int (*held#)(int) = last_step;
last_step = second#;
struct steps steps# = {{first#, second#, held#}, NULL};
steps#.current = &steps#.rows[$3 % 3];
int value# = $0 & 255;
for (int i# = 0; i# < 4; i#++) {
    value# = (*steps#.current)(value#);
    value# = first# == second# ? value# : steps#.rows[i# % 3](value#);
}
printf("chosen %d\n", value#);
"#,
        work: 300,
    },
    Idiom {
        name: "searching",
        includes: &["stdlib.h"],
        definitions: r#"
struct ranked {
    short rank;
    int *score;
    void (*reward)(int *);
};
static void reward_small(int *score) {
    *score += 1;
}
static void reward_large(int *score) {
    *score ^= 64;
}
static int compare_ranked(const void *one, const void *other) {
    const struct ranked *left = one;
    const struct ranked *right = other;
    return (left->rank > right->rank) - (left->rank < right->rank);
}
"#,
        body: r#"
int scores#[4] = {$0 & 31, 2, $1 & 7, 4};
struct ranked ranked#[4];
for (int i# = 0; i# < 4; i#++) {
    ranked#[i#].rank = (short)(i# * 7 % 5);
    ranked#[i#].score = &scores#[i#];
    ranked#[i#].reward = i# & $2 ? reward_large : reward_small;
}
qsort(ranked#, 4, sizeof(struct ranked), compare_ranked);
struct ranked key# = {(short)($3 % 5), NULL, NULL};
struct ranked *found# = bsearch(&key#, ranked#, 4, sizeof(key#), compare_ranked);
if (found#) {
    found#->reward(found#->score);
    mix((unsigned long long)*found#->score);
}
ranked#[0].reward(ranked#[3].score);
mix((unsigned long long)(scores#[0] + scores#[1] + scores#[2] + scores#[3]));
"#,
        work: 900,
    },
    Idiom {
        name: "signalled",
        includes: &["signal.h"],
        definitions: r#"
static volatile int signals_seen = 0;
static int *volatile signal_target = 0;
static void count_signal(int number) {
    signals_seen = signals_seen + (number == SIGUSR1 ? 1 : 10);
}
static void store_signal(int number) {
    if (signal_target) {
        *signal_target = number == SIGUSR2;
    }
    count_signal(number);
}
"#,
        body: r#"
int cell# = $0;
signal_target = &cell#;
void (*handler#)(int) = $2 & 1 ? count_signal : store_signal;
signal(SIGUSR1, handler#);
signal(SIGUSR2, store_signal);
raise($3 & 1 ? SIGUSR1 : SIGUSR2);
signal(SIGUSR2, SIG_IGN);
raise(SIGUSR2);
signal(SIGUSR1, SIG_DFL);
signal_target = NULL;
mix((unsigned long long)cell#);
mix((unsigned long long)signals_seen);
"#,
        work: 300,
    },
    Idiom {
        name: "escaping",
        includes: &["setjmp.h", "stdlib.h"],
        definitions: r#"
struct attempt_frame {
    jmp_buf point;
    struct attempt_frame *outer;
    int *progress;
};
static struct attempt_frame *innermost_attempt = 0;
static int compare_or_leave(const void *one, const void *other) {
    int left = *(const int *)one;
    int right = *(const int *)other;
    if (innermost_attempt && (left ^ right) == 3) {
        *innermost_attempt->progress += 100;
        longjmp(innermost_attempt->point, 1);
    }
    return (left > right) - (left < right);
}
static int attempt_sort(int *cells, int count, int *progress) {
    struct attempt_frame frame;
    frame.outer = innermost_attempt;
    frame.progress = progress;
    innermost_attempt = &frame;
    volatile int done = 0;
    if (setjmp(frame.point) == 0) {
        qsort(cells, (size_t)count, sizeof(int), compare_or_leave);
        done = 1;
    } else {
        *frame.progress += 1;
    }
    innermost_attempt = frame.outer;
    return done;
}
"#,
        body: r#"
int cells#[5] = {$2, 9, $3, 4, $2 ^ 2};
int progress# = 0;
int done# = attempt_sort(cells#, 5, &progress#);
printf("escaping %d %d\n", done#, progress#);
if (done#) {
    mix((unsigned long long)(cells#[0] + 3 * cells#[2] + 5 * cells#[4]));
}
"#,
        work: 900,
    },
    Idiom {
        name: "registry",
        includes: &["string.h"],
        definitions: r#"
struct command;
struct registry {
    struct command *commands[4];
    int count;
    int (*fallback)(struct registry *, const char *);
};
struct command {
    const char *name;
    int (*run)(struct registry *, const char *);
    struct command *next;
};
static int run_named(struct registry *registry, const char *name) {
    for (int row = 0; row < 4; row++) {
        for (struct command *at = registry->commands[row]; at; at = at->next) {
            if (strcmp(at->name, name) == 0) {
                return at->run(registry, at->next ? at->next->name : "");
            }
        }
    }
    return registry->fallback(registry, name);
}
static int command_count(struct registry *registry, const char *rest) {
    return registry->count * 3 + (*rest == 'n');
}
static int command_nested(struct registry *registry, const char *rest) {
    registry->count++;
    return registry->count > 5 ? -1 : 1 + run_named(registry, rest);
}
static int command_missing(struct registry *registry, const char *name) {
    registry->fallback = command_count;
    return (int)strlen(name);
}
static void register_command(struct registry *registry, struct command *command) {
    struct command **row = &registry->commands[registry->count++ % 4];
    command->next = *row;
    *row = command;
}
"#,
        body: r#"
struct registry registry#;
memset(&registry#, 0, sizeof(registry#));
registry#.fallback = command_missing;
struct command commands#[3] = {{"count", command_count, NULL}, {"nested", command_nested, NULL}, {"other", command_nested, NULL}};
for (int i# = 0; i# < 3; i#++) {
    register_command(&registry#, &commands#[(i# + $2) % 3]);
}
registry#.count = $3;
register_command(&registry#, &(struct command){$5, command_count, NULL});
const char *wanted#[3] = {"nested", "none", "other"};
for (int i# = 0; i# < 3; i#++) {
    mix((unsigned long long)run_named(&registry#, wanted#[i#]));
}
"#,
        work: 1500,
    },
    Idiom {
        name: "memoised",
        includes: &["stdlib.h"],
        definitions: r#"
static int *remembered_cell(int slot) {
    static int *cells = NULL;
    static int fallback[2] = {5, 6};
    if (slot < 0) {
        free(cells);
        cells = NULL;
        return fallback;
    }
    if (!cells) {
        cells = calloc(4, sizeof(int));
        if (!cells) {
            return &fallback[1];
        }
    }
    return &cells[slot % 4];
}
static int **slot_of(int which) {
    static int shared = 3;
    static int *slots[2] = {&shared, &shared};
    return &slots[which & 1];
}
"#,
        body: r#"
*remembered_cell($2) += 4;
*remembered_cell($3) ^= $0;
int **slot# = slot_of($3);
int own# = $1;
int *before# = *slot#;
*slot# = $2 & 2 ? &own# : remembered_cell(1);
**slot_of(0) = 9;
**slot_of(1) ^= 2;
mix((unsigned long long)*remembered_cell($2));
mix((unsigned long long)own#);
*slot# = before#;
**slot# = 3;
*remembered_cell(-1) += 1;
"#,
        work: 300,
    },
];

//! Structures that hang together by pointers: found through pointers to pointers, embedded in
//! others, hashed, on the stack of a recursion, sorted by what rows of pointers point to.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "outputs",
        includes: &["stdlib.h", "string.h"],
        definitions: r#"
struct counted_key {
    char *key;
    int *count;
};
static int find_entry(struct counted_key *entries, int count, const char *key, struct counted_key **found) {
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].key, key) == 0) {
            *found = &entries[i];
            return 1;
        }
    }
    *found = NULL;
    return 0;
}
static void split_text(char *text, char **first, char **rest) {
    char *space = strchr(text, ' ');
    *first = text;
    *rest = space ? space + 1 : text + strlen(text);
    if (space) {
        *space = '_';
    }
}
static int make_cells(int **cells, int count) {
    *cells = calloc((size_t)count, sizeof(int));
    return *cells != NULL;
}
"#,
        body: r#"
int *counts# = NULL;
int made# = make_cells(&counts#, 3);
assert(made#);
char keys#[3][6] = {"one", "two", "three"};
struct counted_key entries#[3] = {{keys#[0], counts#}, {keys#[1], counts# + 1}, {keys#[2], &counts#[2]}};
struct counted_key *found# = entries#;
const char *wanted#[4] = {"two", "three", "none", "two"};
for (int i# = 0; i# < 4; i#++) {
    if (find_entry(entries#, 3, wanted#[(i# + $2) % 4], &found#)) {
        *found#->count += 1 + i#;
        found#->key[0] = 't';
    }
}
char text#[16];
snprintf(text#, sizeof(text#), "%d %s", $3, $5);
char *first# = NULL;
char *rest# = NULL;
split_text(text#, &first#, &rest#);
*first# = '*';
char *end# = NULL;
long number# = strtol(first# + 1, &end#, 10);
printf("outputs %d %d %d %s %ld %ld\n", counts#[0], counts#[1], counts#[2], rest#, number# & 7, (long)(end# - text#));
free(counts#);
"#,
        work: 900,
    },
    Idiom {
        name: "embedded",
        includes: &[],
        definitions: r#"
struct ring {
    struct ring *next;
    struct ring *previous;
};
struct member {
    long weight;
    struct ring ring;
    int tag;
};
static void ring_insert(struct ring *after, struct ring *made) {
    made->next = after->next;
    made->previous = after;
    after->next->previous = made;
    after->next = made;
}
static void ring_remove(struct ring *gone) {
    gone->next->previous = gone->previous;
    gone->previous->next = gone->next;
}
static struct member *member_of(struct ring *ring) {
    return (struct member *)((char *)ring - sizeof(long));
}
"#,
        body: r#"
struct ring head#;
head#.next = &head#;
head#.previous = &head#;
struct member members#[5];
for (int i# = 0; i# < 5; i#++) {
    members#[i#].weight = i# * 3 - $2;
    members#[i#].tag = i#;
    ring_insert(i# % 2 ? &head# : head#.previous, &members#[i#].ring);
}
ring_remove(&members#[$3 % 5].ring);
for (struct ring *at# = head#.next; at# != &head#; at# = at#->next) {
    struct member *member# = member_of(at#);
    member#->weight ^= member#->tag;
    mix((unsigned long long)member#->weight);
}
mix((unsigned long long)member_of(head#.previous)->tag);
"#,
        work: 500,
    },
    Idiom {
        name: "buckets",
        includes: &["stdlib.h", "string.h"],
        definitions: r#"
struct bucket {
    struct bucket *next;
    char *name;
    int hits;
};
struct buckets {
    struct bucket **rows;
    unsigned count;
    void *(*take)(size_t);
    void (*give)(void *);
};
static struct bucket *bucket_for(struct buckets *all, const char *name) {
    unsigned hash = 7;
    for (const char *at = name; *at; at++) {
        hash = hash * 31u + (unsigned char)*at;
    }
    struct bucket **link = &all->rows[hash % all->count];
    for (; *link; link = &(*link)->next) {
        if (strcmp((*link)->name, name) == 0) {
            return *link;
        }
    }
    struct bucket *made = all->take(sizeof(struct bucket));
    assert(made);
    made->name = all->take(strlen(name) + 1);
    assert(made->name);
    strcpy(made->name, name);
    made->hits = 0;
    made->next = NULL;
    *link = made;
    return made;
}
static int for_each_bucket(struct buckets *all, int (*visit)(struct bucket *, void *), void *context) {
    int total = 0;
    for (unsigned row = 0; row < all->count; row++) {
        struct bucket *next = NULL;
        for (struct bucket *at = all->rows[row]; at; at = next) {
            next = at->next;
            total += visit(at, context);
        }
    }
    return total;
}
static int count_hits(struct bucket *bucket, void *context) {
    struct bucket **best = context;
    if (!*best || (*best)->hits < bucket->hits) {
        *best = bucket;
    }
    return bucket->hits;
}
static int drop_bucket(struct bucket *bucket, void *context) {
    struct buckets *all = context;
    all->give(bucket->name);
    all->give(bucket);
    return 1;
}
"#,
        body: r#"
struct buckets all# = {calloc(3, sizeof(struct bucket *)), 3, malloc, free};
assert(all#.rows);
const char *names#[5] = {"red", "green", $5, "blue", "red"};
for (int i# = 0; i# <= $2; i#++) {
    bucket_for(&all#, names#[(i# + $3) % 5])->hits += i#;
}
struct bucket *best# = NULL;
int hits# = for_each_bucket(&all#, count_hits, &best#);
printf("buckets %d %s\n", hits#, best# ? best#->name : "none");
mix((unsigned long long)for_each_bucket(&all#, drop_bucket, &all#));
free(all#.rows);
"#,
        work: 2500,
    },
    Idiom {
        name: "frames",
        includes: &[],
        definitions: r#"
struct frame_link {
    struct frame_link *outer;
    int *cell;
    int own;
};
static int descend(struct frame_link *outer, int depth) {
    struct frame_link here = {outer, 0, depth};
    here.cell = depth % 2 || !outer ? &here.own : outer->cell;
    if (depth > 0) {
        int inner = descend(&here, depth - 1);
        here.own += inner;
    }
    int total = 0;
    for (struct frame_link *at = &here; at; at = at->outer) {
        *at->cell ^= depth;
        total += at->own & 15;
    }
    return total;
}
"#,
        body: r#"
int start# = $0 & 255;
struct frame_link first# = {NULL, &start#, $2};
mix((unsigned long long)descend(&first#, $3 & 7));
mix((unsigned long long)descend(NULL, $2 & 3));
mix((unsigned long long)start#);
"#,
        work: 900,
    },
    Idiom {
        name: "pointer_rows",
        includes: &["stdlib.h", "string.h"],
        definitions: r#"
struct words {
    char **rows;
    size_t used;
    size_t room;
};
static void add_word(struct words *words, const char *text) {
    if (words->used == words->room) {
        words->room = words->room ? words->room * 2 : 1;
        words->rows = realloc(words->rows, words->room * sizeof(char *));
        assert(words->rows);
    }
    char *copy = malloc(strlen(text) + 1);
    assert(copy);
    words->rows[words->used++] = strcpy(copy, text);
}
static int compare_words(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}
"#,
        body: r#"
struct words words# = {NULL, 0, 0};
char line#[40];
snprintf(line#, sizeof(line#), "%s last %d first", $5, $2);
for (char *word# = strtok(line#, " "); word#; word# = strtok(NULL, " ")) {
    add_word(&words#, word#);
}
qsort(words#.rows, words#.used, sizeof(char *), compare_words);
const char *key# = "last";
char **found# = bsearch(&key#, words#.rows, words#.used, sizeof(char *), compare_words);
if (found#) {
    (*found#)[0] = 'L';
    mix((unsigned long long)(found# - words#.rows));
}
char **rotated# = malloc(words#.used * sizeof(char *));
assert(rotated#);
memcpy(rotated#, words#.rows + 1, (words#.used - 1) * sizeof(char *));
rotated#[words#.used - 1] = words#.rows[0];
for (size_t i# = 0; i# < words#.used; i#++) {
    printf("word %s\n", rotated#[i#]);
    free(rotated#[i#]);
}
free(rotated#);
free(words#.rows);
"#,
        work: 2500,
    },
];

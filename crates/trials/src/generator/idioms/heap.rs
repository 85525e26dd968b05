//! Heap memory: lists, trees, growing arrays, rows of pointers, flexible members.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "list",
        includes: &["stdlib.h"],
        definitions: r#"
struct node {
    int value;
    struct node *next;
};
static struct node *push_node(struct node *head, int value) {
    struct node *made = malloc(sizeof(struct node));
    assert(made);
    made->value = value;
    made->next = head;
    return made;
}
static struct node *reverse_nodes(struct node *head) {
    struct node *done = 0;
    while (head != NULL) {
        struct node *next = head->next;
        head->next = done;
        done = head;
        head = next;
    }
    return done;
}
static void remove_node(struct node **link, int value) {
    while (*link) {
        if ((*link)->value == value) {
            struct node *gone = *link;
            *link = gone->next;
            free(gone);
            return;
        }
        link = &(*link)->next;
    }
}
"#,
        body: r#"
struct node *list# = NULL;
for (int i# = 0; i# <= $2; i#++) {
    list# = push_node(list#, i# % 2 ? i# : $0);
}
list# = reverse_nodes(list#);
remove_node(&list#, $1);
remove_node(&list#, $3);
unsigned length# = 0;
for (struct node *at# = list#; at#; at# = at#->next) {
    mix((unsigned long long)at#->value);
    length#++;
}
printf("list %u\n", length#);
while (list#) {
    struct node *next# = list#->next;
    free(list#);
    list# = next#;
}
"#,
        work: 700,
    },
    Idiom {
        name: "tree",
        includes: &["stdlib.h"],
        definitions: r#"
struct tree {
    struct tree *child[2];
    short key;
    unsigned char count;
};
static struct tree *insert_tree(struct tree *at, short key) {
    if (!at) {
        at = calloc(1, sizeof(*at));
        assert(at != NULL);
        at->key = key;
        at->count = 1;
        return at;
    }
    if (at->key == key) {
        at->count++;
    } else {
        at->child[key > at->key] = insert_tree(at->child[key > at->key], key);
    }
    return at;
}
static int drop_tree(struct tree *at, int depth) {
    if (at == NULL) {
        return 0;
    }
    int left = drop_tree(at->child[0], depth + 1);
    mix((unsigned long long)(at->key * 100 + depth));
    int right = drop_tree(at->child[1], depth + 1);
    int total = left + right + at->count;
    free(at);
    return total;
}
"#,
        body: r#"
struct tree *root# = NULL;
unsigned state# = (unsigned)$0;
for (int i# = 0; i# < 6 + $2; i#++) {
    state# = state# * 1103515245u + 12345u;
    root# = insert_tree(root#, (short)(state# >> 20));
}
root# = insert_tree(root#, (short)$1);
printf("tree %d\n", drop_tree(root#, 0));
"#,
        work: 2500,
    },
    Idiom {
        name: "growing",
        includes: &["stdlib.h"],
        definitions: "",
        body: r#"
size_t room# = 2;
size_t used# = 0;
long *grown# = malloc(room# * sizeof(long));
assert(grown#);
for (int i# = 0; i# < 3 + $2; i#++) {
    if (used# == room#) {
        room# *= 2;
        long *moved# = realloc(grown#, room# * sizeof *grown#);
        assert(moved#);
        grown# = moved#;
    }
    grown#[used#++] = (long)i# * $0;
}
for (size_t i# = 0; i# < used#; ++i#) {
    mix((unsigned long long)grown#[i#]);
}
long *end# = grown# + used#;
long *walk# = grown#;
while (walk# < end#) {
    *walk#++ ^= $1;
}
mix((unsigned long long)(end# - grown#));
mix((unsigned long long)grown#[used# / 2]);
free(grown#);
"#,
        work: 800,
    },
    Idiom {
        name: "rows",
        includes: &["stdlib.h", "string.h"],
        definitions: r#"
static unsigned sum_rows(int **rows, int count, const int *widths) {
    unsigned total = 0;
    for (int row = 0; row < count; row++) {
        for (int column = 0; column < widths[row]; column++) {
            total = total * 31u + (unsigned)rows[row][column];
        }
    }
    return total;
}
"#,
        body: r#"
int widths#[4] = {1, 1 + $2, 2, 1 + $3};
int **rows# = calloc(4, sizeof(int *));
assert(rows#);
for (int r# = 0; r# < 4; r#++) {
    rows#[r#] = malloc((unsigned)widths#[r#] * sizeof(int));
    assert(rows#[r#]);
    memset(rows#[r#], r# == 2 ? 255 : 0, (unsigned)widths#[r#] * sizeof(int));
    rows#[r#][widths#[r#] - 1] = $0;
}
int *swapped# = rows#[0];
rows#[0] = rows#[2];
rows#[2] = swapped#;
int narrow# = widths#[0];
widths#[0] = widths#[2];
widths#[2] = narrow#;
printf("rows %u\n", sum_rows(rows#, 4, widths#));
for (int r# = 0; r# < 4; r#++) {
    free(rows#[r#]);
}
free(rows#);
"#,
        work: 900,
    },
    Idiom {
        name: "flexible",
        includes: &["stdlib.h", "string.h"],
        definitions: r#"
struct packet {
    unsigned short length;
    unsigned char kind;
    char data[];
};
static struct packet *make_packet(const char *text, unsigned char kind) {
    size_t length = strlen(text);
    struct packet *made = malloc(sizeof(struct packet) + length + 1);
    assert(made);
    made->length = (unsigned short)length;
    made->kind = kind;
    memcpy(made->data, text, length + 1);
    return made;
}
"#,
        body: r#"
struct packet *packet# = make_packet($5, (unsigned char)$0);
printf("packet %d %u %s\n", packet#->length, packet#->kind, packet#->data);
for (unsigned i# = 0; i# < packet#->length; i#++) {
    mix((unsigned long long)packet#->data[i#]);
}
free(packet#);
free(NULL);
"#,
        work: 300,
    },
    Idiom {
        name: "pool",
        includes: &["stdlib.h"],
        definitions: r#"
struct slot {
    double weight;
    struct slot *link;
    int tag;
};
struct pool {
    struct slot *slots;
    struct slot *unused;
    int capacity;
};
static struct pool make_pool(int capacity) {
    struct pool made = {0};
    made.slots = calloc((size_t)capacity, sizeof(struct slot));
    assert(made.slots);
    made.capacity = capacity;
    for (int i = 0; i < capacity; i++) {
        made.slots[i].link = i + 1 < capacity ? &made.slots[i + 1] : NULL;
    }
    made.unused = made.slots;
    return made;
}
static struct slot *take_slot(struct pool *pool, int tag) {
    struct slot *taken = pool->unused;
    if (taken) {
        pool->unused = taken->link;
        taken->tag = tag;
        taken->weight = tag * 0.5;
    }
    return taken;
}
"#,
        body: r#"
struct pool pool# = make_pool(1 + $2);
struct slot *last# = 0;
int taken# = 0;
for (int i# = 0; i# < 9; i#++) {
    struct slot *slot# = take_slot(&pool#, i# ^ $0);
    if (!slot#) {
        break;
    }
    if (last# && i# % 3 == $3 % 3) {
        last#->link = pool#.unused;
        pool#.unused = last#;
    }
    last# = slot#;
    taken#++;
}
mix((unsigned long long)taken#);
if (last#) {
    mix_double(last#->weight);
    mix((unsigned long long)(last# - pool#.slots));
}
free(pool#.slots);
"#,
        work: 900,
    },
];

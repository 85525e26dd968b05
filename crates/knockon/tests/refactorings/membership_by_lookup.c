// function: has_key
// kind: extract function, truth value
// after: cJSON e6b352d (a search of its own becomes a call of the lookup)
// witness: { struct entry b = {0, 0, 0}, a = {&b, 5, 1}; return has_key(&a, 0); }
// try: { struct entry c = {0, r & 3, 9}, b = {&c, r >> 2 & 3, 0}, a = {&b, r >> 4 & 3, 1}; show(has_key(r & 1 ? &a : 0, r >> 6 & 3)); }
//- old
struct entry {
    struct entry *next;
    int key;
    int value;
};

int has_key(struct entry *list, int key)
{
    struct entry *c = list;

    while (c) {
        if (c->key == key)
            return 1;
        c = c->next;
    }
    return 0;
}
//- new
struct entry {
    struct entry *next;
    int key;
    int value;
};

static struct entry *find(struct entry *list, int key)
{
    struct entry *c = list;

    while (c && c->key != key)
        c = c->next;
    return c;
}

int has_key(struct entry *list, int key)
{
    return find(list, key) ? 1 : 0;
}
//- broken
struct entry {
    struct entry *next;
    int key;
    int value;
};

static struct entry *find(struct entry *list, int key)
{
    struct entry *c = list;

    while (c && c->key != key)
        c = c->next;
    return c;
}

int has_key(struct entry *list, int key)
{
    struct entry *found = find(list, key);

    return found && found->value;
}

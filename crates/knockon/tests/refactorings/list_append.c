// function: append
// kind: dead code
// after: cJSON 9f00ff9 (a test that cannot fail leaves the walk)
// witness: { struct item a = {0, 1}, b = {0, 2}, c = {0, 3}; append(&a, &b); append(&a, &c); return b.next == &c; }
// try: { struct item items[5] = {{0, 1}}; for (int i = 1; i < 2 + (int)(r & 3); i++) { append(items, items + i); }
//   int n = 0; for (struct item *i = items; i; i = i->next) n++; show(n); append(0, items); }
//- old
struct item {
    struct item *next;
    int value;
};

void append(struct item *list, struct item *item)
{
    struct item *c = list;

    if (!c)
        return;
    while (c && c->next)
        c = c->next;
    c->next = item;
    item->next = 0;
}
//- new
struct item {
    struct item *next;
    int value;
};

void append(struct item *list, struct item *item)
{
    struct item *c = list;

    if (!c)
        return;
    while (c->next)
        c = c->next;
    c->next = item;
    item->next = 0;
}
//- broken
struct item {
    struct item *next;
    int value;
};

void append(struct item *list, struct item *item)
{
    struct item *c = list;

    if (!c)
        return;
    if (c->next)
        c = c->next->next ? c->next : c;
    c->next = item;
    item->next = 0;
}

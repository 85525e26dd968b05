// function: remove_entry
// kind: pointer walk, branch inversion
// witness: { struct entry b = {0, 2}, a = {&b, 1}, *head = &a; remove_entry(&head, 1); return head == &b; }
// try: { struct entry c = {0, r & 3}, b = {&c, r >> 2 & 3}, a = {&b, r >> 4 & 3}, *head = r & 64 ? &a : 0; show(remove_entry(&head, r >> 8 & 3));
//   for (struct entry *e = head; e; e = e->next) show(e->key); }
//- old
struct entry {
    struct entry *next;
    int key;
};

int remove_entry(struct entry **head, int key)
{
    struct entry *entry = *head, *previous = 0;

    while (entry && entry->key != key) {
        previous = entry;
        entry = entry->next;
    }
    if (!entry)
        return 0;
    if (previous)
        previous->next = entry->next;
    else
        *head = entry->next;
    return 1;
}
//- new
struct entry {
    struct entry *next;
    int key;
};

int remove_entry(struct entry **head, int key)
{
    struct entry **link;

    for (link = head; *link; link = &(*link)->next) {
        if ((*link)->key == key) {
            *link = (*link)->next;
            return 1;
        }
    }
    return 0;
}
//- broken
struct entry {
    struct entry *next;
    int key;
};

int remove_entry(struct entry **head, int key)
{
    struct entry *entry = *head;

    for (; entry && entry->next; entry = entry->next) {
        if (entry->next->key == key) {
            entry->next = entry->next->next;
            return 1;
        }
    }
    return 0;
}

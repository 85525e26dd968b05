// function: is_pinned
// kind: early return, truth value
// broken-by: undefined
// witness: is_pinned(0, 1)
// try: { struct node n = {0, (unsigned)r}; show(is_pinned(&n, r >> 32 & 255)); show(is_pinned(0, 1)); }
//- old
struct node {
    struct node *next;
    unsigned flags;
};

int is_pinned(const struct node *node, unsigned mask)
{
    int pinned = 0;

    if (node) {
        if (node->flags & mask)
            pinned = 1;
    }
    return pinned;
}
//- new
struct node {
    struct node *next;
    unsigned flags;
};

int is_pinned(const struct node *node, unsigned mask)
{
    if (!node)
        return 0;
    return (node->flags & mask) != 0;
}
//- broken
struct node {
    struct node *next;
    unsigned flags;
};

int is_pinned(const struct node *node, unsigned mask)
{
    unsigned flags = node->flags;

    if (!node)
        return 0;
    return (flags & mask) != 0;
}

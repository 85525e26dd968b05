// function: replace_table
// kind: reordered statements
// after: tinyvm 07c32b9 (a structure copied member by member is copied as a whole)
// witness: { struct table a = {1, 2, 0}, b = {3, 4, &a}; replace_table(&a, b); return a.slots == &a ? a.used : -1; }
// try: { struct table a = {r & 255, r >> 8 & 255, 0}, b = {r >> 16 & 255, r >> 24 & 255, &a};
//   replace_table(&a, r & 1 ? a : b); show(a.size); show(a.used); show(a.slots == &a); show(b.size); }
//- old
struct table {
    unsigned size;
    unsigned used;
    void *slots;
};

void replace_table(struct table *to, struct table from)
{
    to->used = from.used;
    to->slots = from.slots;
    to->size = from.size;
}
//- new
struct table {
    unsigned size;
    unsigned used;
    void *slots;
};

void replace_table(struct table *to, struct table from)
{
    *to = from;
}
//- broken
struct table {
    unsigned size;
    unsigned used;
    void *slots;
};

void replace_table(struct table *to, struct table from)
{
    to->size = from.size;
    to->slots = from.slots;
    to->used = from.size;
}

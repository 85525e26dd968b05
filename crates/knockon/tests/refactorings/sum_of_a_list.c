// function: total
// kind: recursion to loop
// witness: { struct cell b = {0, 4}, a = {&b, 3}; return total(&a); }
// try: { struct cell c = {0, (unsigned)r}, b = {&c, (unsigned)(r >> 20)}, a = {&b, (unsigned)(r >> 40)}; show(total(&a)); show(total(&c)); show(total(0)); }
//- old
struct cell {
    struct cell *next;
    unsigned value;
};

static unsigned add_up(const struct cell *list, unsigned sum)
{
    if (!list)
        return sum;
    return add_up(list->next, sum + list->value);
}

unsigned total(const struct cell *list)
{
    return add_up(list, 0);
}
//- new
struct cell {
    struct cell *next;
    unsigned value;
};

unsigned total(const struct cell *list)
{
    unsigned sum = 0;

    for (; list; list = list->next)
        sum += list->value;
    return sum;
}
//- broken
struct cell {
    struct cell *next;
    unsigned value;
};

unsigned total(const struct cell *list)
{
    unsigned sum = 0;

    for (; list && list->next; list = list->next)
        sum += list->value;
    return sum;
}

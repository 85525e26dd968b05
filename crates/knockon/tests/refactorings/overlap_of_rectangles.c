// function: overlap
// kind: local layout
// witness: overlap(0, 4, 10, 20)
// try: { show(overlap(r & 15, r >> 4 & 15, r >> 8 & 15, r >> 12 & 15)); }
//- old
static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int overlap(int from, int to, int other_from, int other_to)
{
    int start = larger(from, other_from);
    int end = smaller(to, other_to);

    return start < end ? end - start : 0;
}
//- new
struct span {
    int start;
    int end;
};

static struct span shared(struct span a, struct span b)
{
    if (b.start > a.start)
        a.start = b.start;
    if (b.end < a.end)
        a.end = b.end;
    return a;
}

int overlap(int from, int to, int other_from, int other_to)
{
    struct span both = shared((struct span){from, to}, (struct span){other_from, other_to});

    return both.start < both.end ? both.end - both.start : 0;
}
//- broken
struct span {
    int start;
    int end;
};

static struct span shared(struct span a, struct span b)
{
    if (b.start > a.start)
        a.start = b.start;
    if (b.end < a.end)
        a.end = b.end;
    return a;
}

int overlap(int from, int to, int other_from, int other_to)
{
    struct span both = shared((struct span){from, to}, (struct span){other_from, other_to});

    return both.start != both.end ? both.end - both.start : 0;
}

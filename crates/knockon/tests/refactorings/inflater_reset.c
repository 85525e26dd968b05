// function: reset
// kind: extract function, reordered statements
// after: zlib 77b47d5 (the part that keeps the window becomes a function)
// witness: { struct inflater s = {1, 2, 3, 4, 5}; int code = reset(&s); return code * 100 + s.window + s.hold; }
// try: { struct inflater s = {r & 3, r >> 2 & 7, r >> 5 & 7, r >> 8 & 7, r >> 11 & 7}; show(reset(&s)); show(s.window); show(s.have); show(s.hold); show(s.bits); show(reset(0)); }
//- old
struct inflater {
    int mode;
    unsigned window;
    unsigned have;
    unsigned long hold;
    unsigned bits;
};

int reset(struct inflater *state)
{
    if (state == 0 || state->mode == 0)
        return -2;
    state->mode = 1;
    state->window = 0;
    state->have = 0;
    state->hold = 0;
    state->bits = 0;
    return 0;
}
//- new
struct inflater {
    int mode;
    unsigned window;
    unsigned have;
    unsigned long hold;
    unsigned bits;
};

static int reset_keep(struct inflater *state)
{
    if (state == 0 || state->mode == 0)
        return -2;
    state->mode = 1;
    state->hold = 0;
    state->bits = 0;
    return 0;
}

int reset(struct inflater *state)
{
    if (state == 0 || state->mode == 0)
        return -2;
    state->window = 0;
    state->have = 0;
    return reset_keep(state);
}
//- broken
struct inflater {
    int mode;
    unsigned window;
    unsigned have;
    unsigned long hold;
    unsigned bits;
};

static int reset_keep(struct inflater *state)
{
    if (state == 0 || state->mode == 0)
        return -2;
    state->mode = 1;
    state->hold = 0;
    state->bits = 0;
    return 0;
}

int reset(struct inflater *state)
{
    if (state == 0 || state->mode == 0)
        return -2;
    state->have = 0;
    return reset_keep(state);
}

// function: choose_pane
// kind: dead code, conditional expression
// after: tmux 481703d66 (the same pointer is tested once)
// witness: { struct pane p = {3}; struct window w = {0, &p}; return choose_pane(&w, '!'); }
// try: { struct pane p = {r & 7}, q = {r >> 3 & 7}; struct window w = {r & 64 ? &p : 0, r & 128 ? &q : 0}; show(choose_pane(&w, r & 256 ? '!' : '+')); }
//- old
struct pane {
    int number;
};

struct window {
    struct pane *last;
    struct pane *active;
};

int choose_pane(const struct window *window, char which)
{
    struct pane *pane = window->active;

    if (which == '!') {
        if (window->last == 0)
            return -1;
        pane = window->last;
        if (pane == 0)
            return -1;
    }
    return pane ? pane->number : -1;
}
//- new
struct pane {
    int number;
};

struct window {
    struct pane *last;
    struct pane *active;
};

int choose_pane(const struct window *window, char which)
{
    struct pane *pane = which == '!' ? window->last : window->active;

    if (pane == 0)
        return -1;
    return pane->number;
}
//- broken
struct pane {
    int number;
};

struct window {
    struct pane *last;
    struct pane *active;
};

int choose_pane(const struct window *window, char which)
{
    struct pane *pane = window->active;

    if (which == '!' && window->last)
        pane = window->last;
    if (pane == 0)
        return -1;
    return pane->number;
}

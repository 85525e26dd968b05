// function: find_pane
// kind: dead code, nested conditions
// after: tmux 53b25635d (a branch that cannot be taken goes)
// witness: find_pane(3, 12)
// try: { show(find_pane((int)(r & 7) - 2, (int)(r >> 8 & 15))); }
//- old
static int best_session(int window)
{
    return window % 4 == 0 ? -1 : window % 4;
}

int find_pane(int pane, int window)
{
    int session;

    if (pane < 0)
        return -1;
    session = best_session(window);
    if (session < 0) {
        if (pane >= 0)
            return -2;
        return -3;
    }
    return session * 100 + pane % 100;
}
//- new
static int best_session(int window)
{
    return window % 4 == 0 ? -1 : window % 4;
}

int find_pane(int pane, int window)
{
    int session;

    if (pane < 0)
        return -1;
    session = best_session(window);
    if (session < 0)
        return -2;
    return session * 100 + pane % 100;
}
//- broken
static int best_session(int window)
{
    return window % 4 == 0 ? -1 : window % 4;
}

int find_pane(int pane, int window)
{
    int session;

    if (pane < 0)
        return -1;
    session = best_session(window);
    if (session < 0)
        return -3;
    return session * 100 + pane % 100;
}

// function: open_window
// kind: reordered statements, extract function
// witness: { struct window w = {0}; open_window(&w, 80, 25); return w.cells * 10 + windows; }
// try: { struct window w = {0}; open_window(&w, r & 127, r >> 8 & 127); show(w.width); show(w.height); show(w.cells); show(w.dirty); show(windows); }
//- old
struct window {
    unsigned width;
    unsigned height;
    unsigned cells;
    int dirty;
};

unsigned windows;

void open_window(struct window *w, unsigned width, unsigned height)
{
    windows++;
    w->dirty = 1;
    w->width = width;
    w->height = height;
    w->cells = w->width * w->height;
}
//- new
struct window {
    unsigned width;
    unsigned height;
    unsigned cells;
    int dirty;
};

unsigned windows;

static void set_size(struct window *w, unsigned width, unsigned height)
{
    w->height = height;
    w->width = width;
    w->cells = height * width;
}

void open_window(struct window *w, unsigned width, unsigned height)
{
    windows++;
    set_size(w, width, height);
    w->dirty = 1;
}
//- broken
struct window {
    unsigned width;
    unsigned height;
    unsigned cells;
    int dirty;
};

unsigned windows;

static void set_size(struct window *w, unsigned width, unsigned height)
{
    w->height = height;
    w->cells = w->width * w->height;
    w->width = width;
}

void open_window(struct window *w, unsigned width, unsigned height)
{
    windows++;
    set_size(w, width, height);
    w->dirty = 1;
}

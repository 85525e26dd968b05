// function: style_key
// kind: common subexpression, extract variable
// after: tmux e7f649e40 (a repeated member access gets a name)
// witness: { struct cell d = {2, 4, 1}; struct style s = {&d, 3}; return style_key(&s); }
// try: { struct cell d = {r & 15, r >> 4 & 15, r >> 8 & 15}; struct style s = {&d, r >> 12 & 7}; show(style_key(&s)); }
//- old
struct cell {
    int foreground;
    int background;
    int attributes;
};

struct style {
    const struct cell *defaults;
    int shift;
};

int style_key(const struct style *style)
{
    int key = style->defaults->foreground;

    if (style->defaults->background != 8)
        key += style->defaults->background * 256;
    if (style->defaults->attributes & style->shift)
        key = -key;
    return key;
}
//- new
struct cell {
    int foreground;
    int background;
    int attributes;
};

struct style {
    const struct cell *defaults;
    int shift;
};

int style_key(const struct style *style)
{
    const struct cell *defaults = style->defaults;
    int key = defaults->foreground;

    if (defaults->background != 8)
        key += defaults->background * 256;
    return defaults->attributes & style->shift ? -key : key;
}
//- broken
struct cell {
    int foreground;
    int background;
    int attributes;
};

struct style {
    const struct cell *defaults;
    int shift;
};

int style_key(const struct style *style)
{
    const struct cell *defaults = style->defaults;
    int key = defaults->foreground;

    if (defaults->background != 8)
        key += defaults->foreground * 256;
    return defaults->attributes & style->shift ? -key : key;
}

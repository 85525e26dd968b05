// function: create_cell
// kind: filled block, dead code
// after: tmux ff0991432 (zeroed members are left to zeroed memory)
// witness: { struct layout *c = create_cell(0); long long w = c->width * 2LL + c->flags; free(c); return w; }
// try: { struct layout parent = {0}, *c = create_cell(r & 1 ? &parent : 0); show(c->parent == &parent); show(c->flags);
//   show(c->width); show(c->pane); free(c); }
//- old
#include <limits.h>
#include <stdlib.h>

struct layout {
    struct layout *parent;
    int flags;
    int pane;
    unsigned width;
    unsigned height;
};

struct layout *create_cell(struct layout *parent)
{
    struct layout *cell = malloc(sizeof *cell);

    if (!cell)
        abort();
    cell->flags = 0;
    cell->parent = parent;
    cell->width = UINT_MAX;
    cell->height = UINT_MAX;
    cell->pane = 0;
    return cell;
}
//- new
#include <limits.h>
#include <stdlib.h>

struct layout {
    struct layout *parent;
    int flags;
    int pane;
    unsigned width;
    unsigned height;
};

struct layout *create_cell(struct layout *parent)
{
    struct layout *cell = calloc(1, sizeof *cell);

    if (!cell)
        abort();
    cell->parent = parent;
    cell->width = UINT_MAX;
    cell->height = UINT_MAX;
    return cell;
}
//- broken
#include <limits.h>
#include <stdlib.h>

struct layout {
    struct layout *parent;
    int flags;
    int pane;
    unsigned width;
    unsigned height;
};

struct layout *create_cell(struct layout *parent)
{
    struct layout *cell = calloc(1, sizeof *cell);

    if (!cell)
        abort();
    cell->parent = parent;
    cell->height = UINT_MAX;
    return cell;
}

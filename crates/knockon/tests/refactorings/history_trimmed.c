// function: collect
// kind: extract function, common subexpression
// after: tmux e7d53020b (dropping the oldest lines becomes a function)
// witness: { struct grid g = {{1, 2, 3, 4, 5, 6, 7, 8}, 8, 4}; collect(&g); return g.lines[4] * 10 + g.size; }
// try: { struct grid g = {{1, 2, 3, 4, 5, 6, 7, 8}, r % 9, r >> 8 & 7}; collect(&g); show(g.size); for (int i = 0; i < 8; i++) show(g.lines[i]); }
//- old
#include <string.h>

struct grid {
    int lines[8];
    unsigned size;
    unsigned limit;
};

void collect(struct grid *grid)
{
    unsigned drop;

    if (grid->size > 8 || grid->size == 0 || grid->size < grid->limit)
        return;
    drop = grid->size / 4 + 1;
    if (drop > grid->size)
        drop = grid->size;
    memmove(&grid->lines[0], &grid->lines[drop], (grid->size - drop) * sizeof grid->lines[0]);
    grid->size -= drop;
}
//- new
#include <string.h>

struct grid {
    int lines[8];
    unsigned size;
    unsigned limit;
};

static void trim_history(struct grid *grid, unsigned count)
{
    unsigned rest = grid->size - count;

    memmove(grid->lines, grid->lines + count, rest * sizeof grid->lines[0]);
    grid->size = rest;
}

void collect(struct grid *grid)
{
    unsigned size = grid->size;

    if (size > 8 || size == 0 || size < grid->limit)
        return;
    trim_history(grid, size / 4 + 1);
}
//- broken
#include <string.h>

struct grid {
    int lines[8];
    unsigned size;
    unsigned limit;
};

static void trim_history(struct grid *grid, unsigned count)
{
    unsigned rest = grid->size - count;

    memmove(grid->lines, grid->lines + count, rest);
    grid->size = rest;
}

void collect(struct grid *grid)
{
    unsigned size = grid->size;

    if (size > 8 || size == 0 || size < grid->limit)
        return;
    trim_history(grid, size / 4 + 1);
}

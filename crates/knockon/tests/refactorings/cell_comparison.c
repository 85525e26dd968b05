// function: jump_to
// kind: extract function, De Morgan
// after: tmux 63582c154 (the comparison of a cell becomes a function)
// witness: { struct cell row[2] = {{1, 1, {7}}, {0, 1, {7}}}; struct data d = {1, {7}}; return jump_to(row, 2, &d); }
// try: { struct cell row[4]; struct data d = {1 + (r & 1), {r >> 1 & 1, r >> 2 & 1}}; for (int i = 0; i < 4; i++) { unsigned w = (unsigned)next(); row[i] = (struct cell){w & 1, 1 + (w >> 1 & 1), {w >> 2 & 1, w >> 3 & 1}}; } show(jump_to(row, r >> 8 & 3, &d)); }
//- old
#include <string.h>

struct cell {
    int padding;
    unsigned char size;
    unsigned char bytes[2];
};

struct data {
    unsigned char size;
    unsigned char bytes[2];
};

int jump_to(const struct cell *row, unsigned width, const struct data *wanted)
{
    for (unsigned x = 0; x < width; x++) {
        if (!row[x].padding && row[x].size == wanted->size &&
            memcmp(row[x].bytes, wanted->bytes, row[x].size) == 0)
            return (int)x;
    }
    return -1;
}
//- new
#include <string.h>

struct cell {
    int padding;
    unsigned char size;
    unsigned char bytes[2];
};

struct data {
    unsigned char size;
    unsigned char bytes[2];
};

static int equals_data(const struct cell *cell, const struct data *data)
{
    if (cell->padding)
        return 0;
    if (cell->size != data->size)
        return 0;
    return memcmp(cell->bytes, data->bytes, cell->size) == 0;
}

int jump_to(const struct cell *row, unsigned width, const struct data *wanted)
{
    for (unsigned x = 0; x < width; x++) {
        if (equals_data(&row[x], wanted))
            return (int)x;
    }
    return -1;
}
//- broken
#include <string.h>

struct cell {
    int padding;
    unsigned char size;
    unsigned char bytes[2];
};

struct data {
    unsigned char size;
    unsigned char bytes[2];
};

static int equals_data(const struct cell *cell, const struct data *data)
{
    if (cell->size != data->size)
        return 0;
    return memcmp(cell->bytes, data->bytes, cell->size) == 0;
}

int jump_to(const struct cell *row, unsigned width, const struct data *wanted)
{
    for (unsigned x = 0; x < width; x++) {
        if (equals_data(&row[x], wanted))
            return (int)x;
    }
    return -1;
}

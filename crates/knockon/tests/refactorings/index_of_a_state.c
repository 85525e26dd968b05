// function: state_index
// kind: extract function, reordered parameters
// after: zlib 5b13810 (a macro becomes an inline function with its terms turned round)
// witness: state_index(9, 4, 3)
// try: { show(state_index(r & 31, r >> 8 & 31, r >> 16 & 31)); }
//- old
#include <stddef.h>

static size_t widest = 14;

#define INDEX(i, j, k) \
    (((size_t)(((i) - 1) >> 1) * (((i) - 2) >> 1) + ((j) >> 1) - 1) * (widest - 1) + (k) - 1)

size_t state_index(unsigned symbols, unsigned left, unsigned length)
{
    if (symbols < 2 || left < 2 || length < 1)
        return 0;
    return INDEX(symbols, left, length);
}
//- new
#include <stddef.h>

static size_t widest = 14;

static inline size_t map(unsigned k, unsigned j, unsigned i)
{
    return k - 1 + ((size_t)((i - 1) >> 1) * ((i - 2) >> 1) + (j >> 1) - 1) * (widest - 1);
}

size_t state_index(unsigned symbols, unsigned left, unsigned length)
{
    if (symbols < 2 || left < 2 || length < 1)
        return 0;
    return map(length, left, symbols);
}
//- broken
#include <stddef.h>

static size_t widest = 14;

static inline size_t map(unsigned k, unsigned j, unsigned i)
{
    return k - 1 + ((size_t)((i - 1) >> 1) * ((i - 2) >> 1) + (j >> 1) - 1) * widest;
}

size_t state_index(unsigned symbols, unsigned left, unsigned length)
{
    if (symbols < 2 || left < 2 || length < 1)
        return 0;
    return map(length, left, symbols);
}

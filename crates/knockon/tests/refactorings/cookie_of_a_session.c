// function: cookie
// kind: common subexpression, inline function
// rare: only the seed that hashes to zero
// witness: cookie(0x12345678u)
// try: { show(cookie((uint32_t)r)); show(cookie(r & 3)); }
//- old
#include <stdint.h>

static uint32_t scrambled(uint32_t seed)
{
    return (seed ^ 0x12345678) * 0x9e3779b1;
}

uint32_t cookie(uint32_t seed)
{
    if (scrambled(seed) == 0)
        return 1;
    return scrambled(seed);
}
//- new
#include <stdint.h>

uint32_t cookie(uint32_t seed)
{
    uint32_t value = (seed ^ 0x12345678) * 0x9e3779b1;

    return value ? value : 1;
}
//- broken
#include <stdint.h>

uint32_t cookie(uint32_t seed)
{
    return (seed ^ 0x12345678) * 0x9e3779b1;
}

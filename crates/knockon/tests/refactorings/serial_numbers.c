// function: newer
// kind: bit trick, truth value
// rare: only numbers half the circle apart
// witness: newer(0x80000001u, 1)
// try: { show(newer((uint32_t)r, (uint32_t)(r >> 32))); show(newer((uint32_t)r, (uint32_t)r + (r >> 40 & 3) - 1)); }
//- old
#include <stdint.h>

int newer(uint32_t a, uint32_t b)
{
    if (a == b)
        return 0;
    if (a - b < 0x80000000u)
        return 1;
    return 0;
}
//- new
#include <stdint.h>

int newer(uint32_t a, uint32_t b)
{
    uint32_t distance = a - b;

    return distance != 0 && !(distance >> 31);
}
//- broken
#include <stdint.h>

int newer(uint32_t a, uint32_t b)
{
    uint32_t distance = a - b;

    return distance != 0 && distance <= 0x80000000u;
}

// function: add_saturated
// kind: branch inversion, extract variable
// rare: only a second operand of zero
// witness: add_saturated(5, 0)
// try: { show(add_saturated((uint32_t)r, (uint32_t)(r >> 32) | 1)); show(add_saturated((uint32_t)r, (uint32_t)(r >> 32))); }
//- old
#include <stdint.h>

uint32_t add_saturated(uint32_t a, uint32_t b)
{
    if (a > UINT32_MAX - b)
        return UINT32_MAX;
    else
        return a + b;
}
//- new
#include <stdint.h>

uint32_t add_saturated(uint32_t a, uint32_t b)
{
    uint32_t sum = a + b;

    if (sum >= a)
        return sum;
    return UINT32_MAX;
}
//- broken
#include <stdint.h>

uint32_t add_saturated(uint32_t a, uint32_t b)
{
    uint32_t sum = a + b;

    if (sum > a)
        return sum;
    return UINT32_MAX;
}

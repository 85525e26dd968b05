// function: power
// kind: recursion to loop, inline function
// witness: power(3, 5)
// try: { show(power((uint32_t)r, (uint32_t)(r >> 32))); show(power((uint32_t)r, r >> 32 & 7)); }
//- old
#include <stdint.h>

static uint32_t raise(uint32_t base, uint32_t exponent, uint32_t product)
{
    if (exponent == 0)
        return product;
    if (exponent & 1)
        product *= base;
    return raise(base * base, exponent / 2, product);
}

uint32_t power(uint32_t base, uint32_t exponent)
{
    return raise(base, exponent, 1);
}
//- new
#include <stdint.h>

uint32_t power(uint32_t base, uint32_t exponent)
{
    uint32_t product = 1;

    while (exponent) {
        if (exponent & 1)
            product *= base;
        base *= base;
        exponent >>= 1;
    }
    return product;
}
//- broken
#include <stdint.h>

uint32_t power(uint32_t base, uint32_t exponent)
{
    uint32_t product = 1;

    while (exponent) {
        base *= base;
        if (exponent & 1)
            product *= base;
        exponent >>= 1;
    }
    return product;
}

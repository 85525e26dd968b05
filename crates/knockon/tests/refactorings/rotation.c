// function: rotate_left
// kind: bit trick, dead code
// broken-by: undefined
// witness: rotate_left(7, 32)
// try: { show(rotate_left((uint32_t)r, 1 + (unsigned)(r >> 40) % 31)); show(rotate_left((uint32_t)r, (unsigned)(r >> 32))); }
//- old
#include <stdint.h>

uint32_t rotate_left(uint32_t x, unsigned n)
{
    n &= 31;
    if (n == 0)
        return x;
    return x << n | x >> (32 - n);
}
//- new
#include <stdint.h>

uint32_t rotate_left(uint32_t x, unsigned n)
{
    return x << (n & 31) | x >> (-n & 31);
}
//- broken
#include <stdint.h>

uint32_t rotate_left(uint32_t x, unsigned n)
{
    n &= 31;
    return x << n | x >> (32 - n);
}

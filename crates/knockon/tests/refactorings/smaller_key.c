// function: smaller_key
// kind: bit trick, conditional expression
// witness: smaller_key(0, 0x80000001u)
// try: { show(smaller_key((uint32_t)r, (uint32_t)(r >> 32))); }
//- old
#include <stdint.h>

uint32_t smaller_key(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
//- new
#include <stdint.h>

uint32_t smaller_key(uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & -(uint32_t)(a < b));
}
//- broken
#include <stdint.h>

uint32_t smaller_key(uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & -(uint32_t)((int32_t)(a - b) < 0));
}

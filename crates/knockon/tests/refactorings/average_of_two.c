// function: average
// kind: bit trick, strength reduction
// witness: average(0xfffffffeu, 4)
// try: { show(average((uint32_t)r, (uint32_t)(r >> 32))); }
//- old
#include <stdint.h>

uint32_t average(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a + b) / 2);
}
//- new
#include <stdint.h>

uint32_t average(uint32_t a, uint32_t b)
{
    return (a & b) + ((a ^ b) >> 1);
}
//- broken
#include <stdint.h>

uint32_t average(uint32_t a, uint32_t b)
{
    return (a + b) >> 1;
}

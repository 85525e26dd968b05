// function: fold_carries
// kind: unrolled loop, inline function
// witness: fold_carries(0xffffffffu)
// try: { show(fold_carries((uint32_t)r)); show(fold_carries((uint32_t)r | 0xfffe0000)); }
//- old
#include <stdint.h>

static uint32_t fold_once(uint32_t sum)
{
    return (sum & 0xffff) + (sum >> 16);
}

uint16_t fold_carries(uint32_t sum)
{
    while (sum >> 16)
        sum = fold_once(sum);
    return (uint16_t)~sum;
}
//- new
#include <stdint.h>

uint16_t fold_carries(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    sum += sum >> 16;
    return (uint16_t)~sum;
}
//- broken
#include <stdint.h>

uint16_t fold_carries(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

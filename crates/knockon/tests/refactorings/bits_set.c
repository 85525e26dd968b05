// function: bits_set
// kind: bit trick, loop form
// rare: only all ones
// witness: bits_set(0xffffffffu)
// try: { show(bits_set((uint32_t)r)); show(bits_set((uint32_t)(r & r >> 32))); }
//- old
#include <stdint.h>

unsigned bits_set(uint32_t word)
{
    unsigned count = 0;

    for (int i = 0; i < 32; i++) {
        count += word & 1;
        word >>= 1;
    }
    return count;
}
//- new
#include <stdint.h>

unsigned bits_set(uint32_t word)
{
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f;
    return word * 0x01010101 >> 24;
}
//- broken
#include <stdint.h>

unsigned bits_set(uint32_t word)
{
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f;
    return word * 0x01010101 >> 24 & 31;
}

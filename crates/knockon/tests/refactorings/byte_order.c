// function: reversed
// kind: bit trick, inline function
// after: zlib 7d45cf5 (the byte swap of shifts becomes the compiler's own)
// witness: reversed(0x01020304u)
// try: { show(reversed((uint32_t)r)); }
//- old
#include <stdint.h>

#define REV(w) \
    ((((w) >> 24) & 0xff) + (((w) >> 8) & 0xff00) + (((w) & 0xff00) << 8) + (((w) & 0xff) << 24))

uint32_t reversed(uint32_t word)
{
    return REV(word);
}
//- new
#include <stdint.h>

uint32_t reversed(uint32_t word)
{
    return __builtin_bswap32(word);
}
//- broken
#include <stdint.h>

uint32_t reversed(uint32_t word)
{
    word = word << 16 | word >> 16;
    return (word & 0x00ff00ff) << 8 | (word >> 8 & 0x00ff00fe);
}

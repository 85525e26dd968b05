// function: mix_words
// kind: pointer walk, rotated loop
// after: zlib d1d5774 (a pointer one before its word is not formed any more)
// witness: { uint32_t words[] = {5, 6, 7}; return mix_words(1, words, 3); }
// try: { uint32_t words[8]; for (int i = 0; i < 8; i++) words[i] = (uint32_t)next(); show(mix_words((uint32_t)r, words, r >> 32 & 7)); }
//- old
#include <stdint.h>

uint32_t mix_words(uint32_t c, const uint32_t *words, unsigned count)
{
    if (count == 0)
        return c;
    c ^= *words;
    c = c << 1 | c >> 31;
    while (--count) {
        c ^= *++words;
        c = c << 1 | c >> 31;
    }
    return c;
}
//- new
#include <stdint.h>

uint32_t mix_words(uint32_t c, const uint32_t *words, unsigned count)
{
    while (count) {
        c ^= *words++;
        c = c << 1 | c >> 31;
        count--;
    }
    return c;
}
//- broken
#include <stdint.h>

uint32_t mix_words(uint32_t c, const uint32_t *words, unsigned count)
{
    while (count) {
        c ^= *words++;
        c = c << 1 | c >> 31;
        if (count-- == 2)
            break;
    }
    return c;
}

// function: fold
// kind: unrolled loop
// witness: { uint16_t words[] = {1, 2, 4}; return fold(words, 3); }
// try: { uint16_t words[8]; for (int i = 0; i < 8; i++) words[i] = next(); show(fold(words, r & 7)); }
//- old
#include <stdint.h>

uint16_t fold(const uint16_t *words, unsigned count)
{
    uint16_t key = 0;

    for (unsigned i = 0; i < count; i++)
        key ^= words[i];
    return key;
}
//- new
#include <stdint.h>

uint16_t fold(const uint16_t *words, unsigned count)
{
    uint16_t key = 0;
    unsigned i = 0;

    if (count & 1)
        key = words[i++];
    for (; i < count; i += 2) {
        key ^= words[i];
        key ^= words[i + 1];
    }
    return key;
}
//- broken
#include <stdint.h>

uint16_t fold(const uint16_t *words, unsigned count)
{
    uint16_t key = 0;

    for (unsigned i = 0; i + 1 < count; i += 2) {
        key ^= words[i];
        key ^= words[i + 1];
    }
    return key;
}

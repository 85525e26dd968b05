// function: digits
// kind: unrolled loop, loop form
// after: hiredis 195aca3 (one digit a round becomes four)
// witness: digits(10000)
// try: { show(digits(r >> (next() & 63))); show(digits(r % 100000)); }
//- old
#include <stdint.h>

uint32_t digits(uint64_t v)
{
    uint32_t length = 0;

    do {
        length++;
        v /= 10;
    } while (v);
    return length;
}
//- new
#include <stdint.h>

uint32_t digits(uint64_t v)
{
    uint32_t result = 1;

    for (;;) {
        if (v < 10)
            return result;
        if (v < 100)
            return result + 1;
        if (v < 1000)
            return result + 2;
        if (v < 10000)
            return result + 3;
        v /= 10000U;
        result += 4;
    }
}
//- broken
#include <stdint.h>

uint32_t digits(uint64_t v)
{
    uint32_t result = 1;

    for (;;) {
        if (v < 10)
            return result;
        if (v < 100)
            return result + 1;
        if (v < 1000)
            return result + 2;
        if (v <= 10000)
            return result + 3;
        v /= 10000U;
        result += 4;
    }
}

// function: header_length
// kind: nested conditions, inline constant
// rare: only the largest size stands for a longer header
// witness: header_length(0xffffffffu, 5)
// try: { show(header_length((uint32_t)r, r >> 32 & 63)); show(header_length(r & 255, r >> 32 & 63)); }
//- old
#include <stdint.h>

#define IN_EXTRA_FIELD 0xffffffffu

unsigned header_length(uint32_t size, unsigned name)
{
    if (name < 40) {
        if (size >= IN_EXTRA_FIELD)
            return 30 + name + 20;
        return 30 + name;
    }
    return 0;
}
//- new
#include <stdint.h>

unsigned header_length(uint32_t size, unsigned name)
{
    if (name < 40 && size == 0xffffffffu)
        return 50 + name;
    return name < 40 ? 30 + name : 0;
}
//- broken
#include <stdint.h>

unsigned header_length(uint32_t size, unsigned name)
{
    if (name < 40 && size > 0xffffffffu)
        return 50 + name;
    return name < 40 ? 30 + name : 0;
}

// function: signature_kind
// kind: switch
// rare: only one of the signatures
// witness: signature_kind(0x06054b50u)
// try: { static const uint32_t some[] = {0x04034b50, 0x02014b50, 0x08074b50, 0}; show(signature_kind((uint32_t)r)); show(signature_kind(some[r >> 32 & 3])); }
//- old
#include <stdint.h>

int signature_kind(uint32_t word)
{
    switch (word) {
    case 0x04034b50:
        return 'l';
    case 0x02014b50:
        return 'c';
    case 0x06054b50:
    case 0x06064b50:
        return 'e';
    case 0x08074b50:
        return 'd';
    }
    return 0;
}
//- new
#include <stdint.h>

int signature_kind(uint32_t word)
{
    if (word == 0x04034b50)
        return 'l';
    if (word == 0x02014b50)
        return 'c';
    if (word == 0x08074b50)
        return 'd';
    if (word == 0x06054b50 || word == 0x06064b50)
        return 'e';
    return 0;
}
//- broken
#include <stdint.h>

int signature_kind(uint32_t word)
{
    if (word == 0x04034b50)
        return 'l';
    if (word == 0x02014b50)
        return 'c';
    if (word == 0x08074b50)
        return 'd';
    if (word == 0x06045b50 || word == 0x06064b50)
        return 'e';
    return 0;
}

// function: byte_sum
// kind: unrolled loop, pointer walk
// witness: { unsigned char data[] = {1, 2, 3, 4, 5, 6, 7}; return byte_sum(data, 7); }
// try: { unsigned char data[16]; for (int i = 0; i < 16; i++) data[i] = next(); show(byte_sum(data, r & 15)); }
//- old
#include <stddef.h>

unsigned byte_sum(const unsigned char *data, size_t length)
{
    unsigned sum = 1;

    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + data[i];
    return sum;
}
//- new
#include <stddef.h>

unsigned byte_sum(const unsigned char *data, size_t length)
{
    unsigned sum = 1;

    while (length >= 4) {
        sum = sum * 31 + data[0];
        sum = sum * 31 + data[1];
        sum = sum * 31 + data[2];
        sum = sum * 31 + data[3];
        data += 4;
        length -= 4;
    }
    while (length--)
        sum = sum * 31 + *data++;
    return sum;
}
//- broken
#include <stddef.h>

unsigned byte_sum(const unsigned char *data, size_t length)
{
    unsigned sum = 1;

    while (length > 4) {
        sum = sum * 31 + data[0];
        sum = sum * 31 + data[1];
        sum = sum * 31 + data[2];
        sum = sum * 31 + data[3];
        data += 4;
        length -= 4;
    }
    if (length > 2)
        length = 2;
    while (length--)
        sum = sum * 31 + *data++;
    return sum;
}

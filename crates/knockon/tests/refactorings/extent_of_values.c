// function: extent
// kind: fused loops
// witness: { int v[] = {5}; return extent(v, 1); }
// try: { int v[8]; for (int i = 0; i < 8; i++) v[i] = (int)(next() & 1023) - 512; show(extent(v, (int)(r & 7))); }
//- old
#include <limits.h>

long extent(const int *values, int count)
{
    int least = INT_MAX, most = INT_MIN;

    for (int i = 0; i < count; i++)
        if (values[i] < least)
            least = values[i];
    for (int i = 0; i < count; i++)
        if (values[i] > most)
            most = values[i];
    return (long)most - least;
}
//- new
#include <limits.h>

long extent(const int *values, int count)
{
    int least = INT_MAX, most = INT_MIN;

    for (int i = 0; i < count; i++) {
        if (values[i] < least)
            least = values[i];
        if (values[i] > most)
            most = values[i];
    }
    return (long)most - least;
}
//- broken
#include <limits.h>

long extent(const int *values, int count)
{
    int least = INT_MAX, most = INT_MIN;

    for (int i = 0; i < count; i++) {
        if (values[i] < least)
            least = values[i];
        else if (values[i] > most)
            most = values[i];
    }
    return (long)most - least;
}

// function: clear_slots
// kind: reversed loop
// witness: { int slots[] = {1, 2, 3}; clear_slots(slots, 3); return slots[0] * 100 + slots[2]; }
// try: { int slots[8]; for (int i = 0; i < 8; i++) slots[i] = next() & 255; clear_slots(slots, r & 7); for (int i = 0; i < 8; i++) show(slots[i]); }
//- old
#include <stddef.h>

void clear_slots(int *slots, size_t count)
{
    for (size_t i = 0; i < count; i++)
        slots[i] = -1;
}
//- new
#include <stddef.h>

void clear_slots(int *slots, size_t count)
{
    while (count-- > 0)
        slots[count] = -1;
}
//- broken
#include <stddef.h>

void clear_slots(int *slots, size_t count)
{
    if (count == 0)
        return;
    while (--count > 0)
        slots[count] = -1;
}

// function: first_free
// kind: early exit, nested conditions
// witness: { struct slot s[] = {{1, 4}, {0, 9}, {0, 7}}; return first_free(s, 3, 5); }
// try: { struct slot s[6]; for (int i = 0; i < 6; i++) { s[i].used = next() & 1; s[i].size = next() & 7; } show(first_free(s, (int)(r % 7), r >> 8 & 7)); }
//- old
struct slot {
    int used;
    int size;
};

int first_free(const struct slot *slots, int count, int needed)
{
    int found = 0, i = 0, place = -1;

    while (!found && i < count) {
        if (!slots[i].used) {
            if (slots[i].size >= needed) {
                place = i;
                found = 1;
            }
        }
        i++;
    }
    return place;
}
//- new
struct slot {
    int used;
    int size;
};

int first_free(const struct slot *slots, int count, int needed)
{
    for (int i = 0; i < count; i++) {
        if (!slots[i].used && slots[i].size >= needed)
            return i;
    }
    return -1;
}
//- broken
struct slot {
    int used;
    int size;
};

int first_free(const struct slot *slots, int count, int needed)
{
    int place = -1;

    for (int i = 0; i < count; i++) {
        if (!slots[i].used && slots[i].size >= needed)
            place = i;
    }
    return place;
}

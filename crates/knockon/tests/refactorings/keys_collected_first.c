// function: contains_all
// kind: fused loops, early exit
// after: jq 1b556315 (a loop that collects keys is fused with the loop that looks them up)
// witness: { int a[] = {1, 2}, b[] = {2, 0}; return contains_all(a, 2, b, 2); }
// try: { int a[4], b[4]; for (int i = 0; i < 4; i++) { a[i] = next() & 3; b[i] = next() & 3; }
//   show(contains_all(a, r & 3, b, r >> 2 & 3)); }
//- old
static int holds(const int *set, int size, int key)
{
    for (int i = 0; i < size; i++)
        if (set[i] == key)
            return 1;
    return 0;
}

int contains_all(const int *a, int a_size, const int *b, int b_size)
{
    int keys[16], count = 0, result = 1;

    for (int i = 0; i < b_size && i < 16; i++)
        keys[count++] = b[i];
    for (int i = 0; i < count; i++) {
        if (!holds(a, a_size, keys[i]))
            result = 0;
        if (!result)
            break;
    }
    return result;
}
//- new
static int holds(const int *set, int size, int key)
{
    for (int i = 0; i < size; i++)
        if (set[i] == key)
            return 1;
    return 0;
}

int contains_all(const int *a, int a_size, const int *b, int b_size)
{
    for (int i = 0; i < b_size && i < 16; i++)
        if (!holds(a, a_size, b[i]))
            return 0;
    return 1;
}
//- broken
static int holds(const int *set, int size, int key)
{
    for (int i = 0; i < size; i++)
        if (set[i] == key)
            return 1;
    return 0;
}

int contains_all(const int *a, int a_size, const int *b, int b_size)
{
    int result = 1;

    for (int i = 0; i < b_size && i < 16; i++)
        result = holds(a, a_size, b[i]);
    return b_size > 1 ? 1 : result;
}

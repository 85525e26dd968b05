// function: largest
// kind: peeled loop
// witness: { int v[] = {-5, -9}; return largest(v, 2); }
// try: { int v[8]; for (int i = 0; i < 8; i++) v[i] = (int)(next() & 255) - 200; show(largest(v, r & 7)); }
//- old
int largest(const int *values, unsigned count)
{
    int best = 0;

    for (unsigned i = 0; i < count; i++) {
        if (i == 0 || values[i] > best)
            best = values[i];
    }
    return best;
}
//- new
int largest(const int *values, unsigned count)
{
    int best;

    if (count == 0)
        return 0;
    best = values[0];
    for (unsigned i = 1; i < count; i++) {
        if (values[i] > best)
            best = values[i];
    }
    return best;
}
//- broken
int largest(const int *values, unsigned count)
{
    int best = 0;

    for (unsigned i = 0; i < count; i++) {
        if (values[i] > best)
            best = values[i];
    }
    return best;
}

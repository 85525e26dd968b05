// function: distribute
// kind: hoisted invariant
// broken-by: undefined
// witness: distribute(100, 0, 0)
// try: { show(distribute((int)(r & 0xffff), 1 + (int)(r >> 16 & 63), (int)(r >> 32 & 15))); show(distribute(5, 0, 0)); }
//- old
unsigned distribute(int total, int parts, int rounds)
{
    unsigned given = 0;

    for (int i = 0; i < rounds; i++)
        given += (unsigned)(total / parts) + (unsigned)i;
    return given;
}
//- new
unsigned distribute(int total, int parts, int rounds)
{
    unsigned given = 0;

    if (rounds > 0) {
        unsigned share = (unsigned)(total / parts);

        for (int i = 0; i < rounds; i++)
            given += share + (unsigned)i;
    }
    return given;
}
//- broken
unsigned distribute(int total, int parts, int rounds)
{
    unsigned given = 0, share = (unsigned)(total / parts);

    for (int i = 0; i < rounds; i++)
        given += share + (unsigned)i;
    return given;
}

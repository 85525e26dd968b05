// function: magnitude
// kind: bit trick
// rare: only INT_MIN has no negative
// broken-by: undefined
// witness: magnitude(-2147483647 - 1)
// try: { show(magnitude((int)(unsigned)r)); show(magnitude((int)(r >> 32 & 15) - 8)); }
//- old
unsigned magnitude(int x)
{
    return x < 0 ? 0u - (unsigned)x : (unsigned)x;
}
//- new
unsigned magnitude(int x)
{
    unsigned mask = 0u - ((unsigned)x >> 31);

    return ((unsigned)x ^ mask) - mask;
}
//- broken
unsigned magnitude(int x)
{
    if (x < 0)
        x = -x;
    return (unsigned)x;
}

// function: padded_size
// kind: inline function, strength reduction
// witness: padded_size(16, 1)
// try: { show(padded_size((unsigned)r, (unsigned)(r >> 32))); show(padded_size(r & 63, r >> 32 & 63)); }
//- old
static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned rounded(unsigned size)
{
    return (size + 15) / 16 * 16;
}

unsigned padded_size(unsigned size, unsigned least)
{
    return rounded(larger(size, least));
}
//- new
unsigned padded_size(unsigned size, unsigned least)
{
    if (least > size)
        size = least;
    return (size + 15) & ~15u;
}
//- broken
unsigned padded_size(unsigned size, unsigned least)
{
    if (least > size)
        size = least;
    return (size + 16) & ~15u;
}

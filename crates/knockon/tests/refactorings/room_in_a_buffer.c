// function: must_flush
// kind: De Morgan, branch inversion
// rare: only used == UINT_MAX wraps
// witness: must_flush(0xffffffffu, 100, 0)
// try: { show(must_flush((unsigned)r, (unsigned)(r >> 32), 0)); show(must_flush(r & 7, r >> 3 & 7, r >> 6 & 1)); }
//- old
int must_flush(unsigned used, unsigned size, int forced)
{
    if (!(used < size && !forced))
        return 1;
    return 0;
}
//- new
int must_flush(unsigned used, unsigned size, int forced)
{
    return used >= size || forced;
}
//- broken
int must_flush(unsigned used, unsigned size, int forced)
{
    return used + 1 > size || forced;
}

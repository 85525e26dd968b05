// function: window_size
// kind: nested conditions, early return
// after: zlib a9e14e8 (the range is tested before the number is negated)
// rare: only INT_MIN has no negative
// broken-by: undefined
// witness: window_size(-2147483647 - 1)
// try: { show(window_size((int)(r % 64) - 32)); show(window_size((int)(unsigned)r)); }
//- old
int window_size(int bits)
{
    if (bits < 0) {
        if (bits < -15)
            return -1;
        bits = -bits;
    }
    if (bits < 8 || bits > 15)
        return -1;
    return 1 << bits;
}
//- new
int window_size(int bits)
{
    if (bits >= 8 && bits <= 15)
        return 1 << bits;
    if (bits <= -8 && bits >= -15)
        return 1 << -bits;
    return -1;
}
//- broken
int window_size(int bits)
{
    if (bits < 0)
        bits = -bits;
    if (bits < 8 || bits > 15)
        return -1;
    return 1 << bits;
}

// function: middle
// kind: strength reduction
// broken-by: undefined
// witness: middle(2000000000, 2000000002)
// try: { int a = (int)(r & 0x7fffffff), b = (int)(r >> 32 & 0x7fffffff); show(middle(a, b)); show(middle(b, a)); show(middle(-a, b)); }
//- old
int middle(int low, int high)
{
    if (low < 0 || high < low)
        return -1;
    return low + (high - low) / 2;
}
//- new
int middle(int low, int high)
{
    if (low < 0 || high < low)
        return -1;
    return (int)(((unsigned)low + (unsigned)high) >> 1);
}
//- broken
int middle(int low, int high)
{
    if (low < 0 || high < low)
        return -1;
    return (low + high) / 2;
}

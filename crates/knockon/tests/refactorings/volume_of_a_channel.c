// function: mix_level
// kind: inline variable, conditional expression
// witness: mix_level(100, 100)
// try: { show(mix_level((short)r, (short)(r >> 16))); }
//- old
int mix_level(short left, short right)
{
    int sum = left + right;
    int half = sum / 2;
    int level;

    if (half < 0)
        level = 0;
    else
        level = half > 99 ? 99 : half;
    return level;
}
//- new
int mix_level(short left, short right)
{
    int half = (left + right) / 2;

    return half < 0 ? 0 : half > 99 ? 99 : half;
}
//- broken
int mix_level(short left, short right)
{
    int half = (left + right) / 2;

    return half < 0 ? 0 : half > 100 ? 99 : half;
}

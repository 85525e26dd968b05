// function: classify
// kind: reordered parameters
// witness: classify(70)
// try: { show(classify((int)(r & 127))); }
//- old
static int between(int value, int low, int high)
{
    return value >= low && value <= high;
}

int classify(int c)
{
    if (between(c, '0', '9'))
        return 1;
    if (between(c, 'A', 'F'))
        return 2;
    return between(c, ' ', '~') ? 3 : 0;
}
//- new
static int between(int low, int value, int high)
{
    return low <= value && value <= high;
}

int classify(int c)
{
    if (between('0', c, '9'))
        return 1;
    if (between('A', c, 'F'))
        return 2;
    return between(' ', c, '~') ? 3 : 0;
}
//- broken
static int between(int low, int value, int high)
{
    return low <= value && value <= high;
}

int classify(int c)
{
    if (between('0', c, '9'))
        return 1;
    if (between(c, 'A', 'F'))
        return 2;
    return between(' ', c, '~') ? 3 : 0;
}

// function: checksum
// kind: moved function
// witness: { unsigned char d[] = {254}; return checksum(d, 1); }
// try: { unsigned char d[8]; for (int i = 0; i < 8; i++) d[i] = next(); show(checksum(d, r & 7)); }
//- old
static unsigned reduce(unsigned sum)
{
    return sum >= 255 ? sum - 255 : sum;
}

unsigned checksum(const unsigned char *data, unsigned length)
{
    unsigned low = 1, high = 0;

    while (length--) {
        low = reduce(low + *data++);
        high = reduce(high + low);
    }
    return high << 8 | low;
}
//- new
static unsigned reduce(unsigned sum);

unsigned checksum(const unsigned char *data, unsigned length)
{
    unsigned low = 1, high = 0;

    while (length--) {
        low = reduce(low + *data++);
        high = reduce(high + low);
    }
    return high << 8 | low;
}

static unsigned reduce(unsigned sum)
{
    if (sum < 255)
        return sum;
    return sum - 255;
}
//- broken
static unsigned reduce(unsigned sum);

unsigned checksum(const unsigned char *data, unsigned length)
{
    unsigned low = 1, high = 0;

    while (length--) {
        low = reduce(low + *data++);
        high = reduce(high + low);
    }
    return high << 8 | low;
}

static unsigned reduce(unsigned sum)
{
    if (sum <= 255)
        return sum;
    return sum - 255;
}

// function: parse_hex4
// kind: unrolled loop, extract variable
// after: cJSON d7b5545 (four copies of a digit's parsing become a loop)
// witness: parse_hex4("00A0")
// try: { char text[8]; fill_text(text, 8, "09afAFg"); show(parse_hex4(text)); }
//- old
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return 10 + c - 'A';
    return c >= 'a' && c <= 'f' ? 10 + c - 'a' : -1;
}

unsigned parse_hex4(const char *str)
{
    unsigned h = 0;

    if (digit(*str) < 0)
        return 0;
    h = (unsigned)digit(*str++) << 4;
    if (digit(*str) < 0)
        return 0;
    h = (h + (unsigned)digit(*str++)) << 4;
    if (digit(*str) < 0)
        return 0;
    h = (h + (unsigned)digit(*str++)) << 4;
    if (digit(*str) < 0)
        return 0;
    return h + (unsigned)digit(*str);
}
//- new
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return 10 + c - 'A';
    return c >= 'a' && c <= 'f' ? 10 + c - 'a' : -1;
}

unsigned parse_hex4(const char *input)
{
    unsigned h = 0;

    for (int i = 0; i < 4; i++) {
        int value = digit(input[i]);

        if (value < 0)
            return 0;
        h += (unsigned)value;
        if (i < 3)
            h <<= 4;
    }
    return h;
}
//- broken
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return 10 + c - 'A';
    return c >= 'a' && c <= 'f' ? 10 + c - 'a' : -1;
}

unsigned parse_hex4(const char *input)
{
    unsigned h = 0;

    for (int i = 0; i < 4; i++) {
        int value = digit(input[i]);

        if (value < 0)
            return 0;
        h += (unsigned)value;
        h <<= 4;
    }
    return h;
}

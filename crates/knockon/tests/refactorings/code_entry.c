// function: decode_symbol
// kind: local layout
// after: zlib 60a5ecc (a copied table entry becomes a pointer to it)
// witness: decode_symbol(6)
// try: { show(decode_symbol((unsigned)r)); }
//- old
struct code {
    unsigned char operation;
    unsigned char bits;
    unsigned short value;
};

static const struct code table[8] = {
    {0, 3, 65}, {16, 2, 9}, {0, 3, 66}, {16, 1, 4}, {0, 3, 67}, {16, 2, 11}, {32, 3, 0}, {16, 1, 4},
};

unsigned decode_symbol(unsigned hold)
{
    struct code here = table[hold & 7];

    if (here.operation == 0)
        return here.value;
    if (here.operation & 16)
        return here.value + (hold >> here.bits);
    return 256;
}
//- new
struct code {
    unsigned char operation;
    unsigned char bits;
    unsigned short value;
};

static const struct code table[8] = {
    {0, 3, 65}, {16, 2, 9}, {0, 3, 66}, {16, 1, 4}, {0, 3, 67}, {16, 2, 11}, {32, 3, 0}, {16, 1, 4},
};

unsigned decode_symbol(unsigned hold)
{
    const struct code *here = table + (hold & 7);

    if (here->operation == 0)
        return here->value;
    if (here->operation & 16)
        return here->value + (hold >> here->bits);
    return 256;
}
//- broken
struct code {
    unsigned char operation;
    unsigned char bits;
    unsigned short value;
};

static const struct code table[8] = {
    {0, 3, 65}, {16, 2, 9}, {0, 3, 66}, {16, 1, 4}, {0, 3, 67}, {16, 2, 11}, {32, 3, 0}, {16, 1, 4},
};

unsigned decode_symbol(unsigned hold)
{
    const struct code *here = table + (hold & 7);

    if (here->operation == 0)
        return here->value;
    if (here->operation)
        return here->value + (hold >> here->bits);
    return 256;
}

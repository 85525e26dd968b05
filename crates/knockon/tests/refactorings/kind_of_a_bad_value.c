// function: type_error
// kind: extract variable, reordered statements
// after: jq f4929f3c (the kind is taken before the value is given away)
// witness: type_error(0x305)
// try: { show(type_error((unsigned)r)); }
//- old
static const char kinds[4] = {'n', 'b', 's', 'o'};

static int kind_of(unsigned value)
{
    return kinds[value & 3];
}

static unsigned shortened(unsigned value)
{
    return value >> 2 & 0xff;
}

unsigned type_error(unsigned bad)
{
    unsigned error = kind_of(bad) << 8 | shortened(bad);

    bad = 0;
    return error + bad;
}
//- new
static const char kinds[4] = {'n', 'b', 's', 'o'};

static int kind_of(unsigned value)
{
    return kinds[value & 3];
}

static unsigned shortened(unsigned value)
{
    return value >> 2 & 0xff;
}

unsigned type_error(unsigned bad)
{
    unsigned text = shortened(bad);
    int kind = kind_of(bad);

    return text | kind << 8;
}
//- broken
static const char kinds[4] = {'n', 'b', 'o', 's'};

static int kind_of(unsigned value)
{
    return kinds[value & 3];
}

static unsigned shortened(unsigned value)
{
    return value >> 2 & 0xff;
}

unsigned type_error(unsigned bad)
{
    unsigned text = shortened(bad);
    int kind = kind_of(bad >> 1);

    return text | kind << 8;
}

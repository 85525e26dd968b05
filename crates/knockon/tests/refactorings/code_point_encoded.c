// function: encode_point
// kind: switch, loop form
// after: cJSON 9d07917 (a switch that falls through its cases becomes a loop)
// witness: { unsigned char b[4] = {0}; encode_point(0x7ff, b); return b[0] << 16 | b[1] << 8 | b[2]; }
// try: { unsigned char b[4] = {0}; show(encode_point((unsigned)(r % 0x120000), b)); show_bytes(b, 4); show(encode_point(r >> 40 & 0xfff, b)); show_bytes(b, 4); }
//- old
static const unsigned char marks[5] = {0x00, 0x00, 0xc0, 0xe0, 0xf0};

int encode_point(unsigned point, unsigned char *bytes)
{
    int length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    if (point > 0x10ffff)
        return 0;
    switch (length) {
    case 4:
        bytes[3] = (unsigned char)((point | 0x80) & 0xbf);
        point >>= 6;
        /* fall through */
    case 3:
        bytes[2] = (unsigned char)((point | 0x80) & 0xbf);
        point >>= 6;
        /* fall through */
    case 2:
        bytes[1] = (unsigned char)((point | 0x80) & 0xbf);
        point >>= 6;
        /* fall through */
    case 1:
        bytes[0] = (unsigned char)((point | marks[length]) & 0xff);
    }
    return length;
}
//- new
static const unsigned char marks[5] = {0x00, 0x00, 0xc0, 0xe0, 0xf0};

int encode_point(unsigned point, unsigned char *bytes)
{
    int length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    if (point > 0x10ffff)
        return 0;
    for (int position = length - 1; position > 0; position--) {
        bytes[position] = (unsigned char)((point | 0x80) & 0xbf);
        point >>= 6;
    }
    bytes[0] = (unsigned char)((point | marks[length]) & 0xff);
    return length;
}
//- broken
static const unsigned char marks[5] = {0x00, 0x00, 0xc0, 0xe0, 0xf0};

int encode_point(unsigned point, unsigned char *bytes)
{
    int length = point < 0x80 ? 1 : point < 0x800 ? 2 : point <= 0x10000 ? 3 : 4;

    if (point > 0x10ffff)
        return 0;
    for (int position = length - 1; position > 0; position--) {
        bytes[position] = (unsigned char)(point | 0x80);
        point >>= 6;
    }
    bytes[0] = (unsigned char)((point | marks[length]) & 0xff);
    return length;
}

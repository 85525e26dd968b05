// function: mark_block
// kind: strength reduction, common subexpression
// witness: { mark_block(13); return bitmap[1] * 10 + mark_block(13); }
// try: { show(mark_block(r % 70)); show_bytes(bitmap, 8); }
//- old
unsigned char bitmap[8];

int mark_block(unsigned number)
{
    if (number / 8 >= 8)
        return -1;
    if (bitmap[number / 8] & 1 << number % 8)
        return 1;
    bitmap[number / 8] |= 1 << number % 8;
    return 0;
}
//- new
unsigned char bitmap[8];

int mark_block(unsigned number)
{
    unsigned char *byte, bit = 1 << (number & 7);

    if (number > 63)
        return -1;
    byte = &bitmap[number >> 3];
    if (*byte & bit)
        return 1;
    *byte |= bit;
    return 0;
}
//- broken
unsigned char bitmap[8];

int mark_block(unsigned number)
{
    unsigned char *byte, bit = 1 << (number & 3);

    if (number > 63)
        return -1;
    byte = &bitmap[number >> 3];
    if (*byte & bit)
        return 1;
    *byte |= bit;
    return 0;
}

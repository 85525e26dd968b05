// function: parse_number
// kind: strength reduction, loop form
// witness: parse_number("12")
// try: { char text[8]; fill_text(text, 8, "0123456789 "); show(parse_number(text)); }
//- old
unsigned parse_number(const char *text)
{
    unsigned value = 0;

    while (*text >= '0' && *text <= '9') {
        value = value * 10 + (unsigned)(*text - '0');
        text++;
    }
    return value;
}
//- new
unsigned parse_number(const char *text)
{
    unsigned value = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        value = (value << 3) + (value << 1) + (unsigned)(*text & 15);
    return value;
}
//- broken
unsigned parse_number(const char *text)
{
    unsigned value = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        value = (((value << 3) + value) << 1) + (unsigned)(*text & 15);
    return value;
}

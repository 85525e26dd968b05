// function: hex_byte
// kind: extract function, lookup table
// after: hiredis c8999c6 (a test of the project's own becomes a shared one)
// witness: hex_byte("Fg")
// try: { char text[4]; fill_text(text, 4, "09afgAFG/:@`"); show(hex_byte(text)); }
//- old
int hex_byte(const char *p)
{
    int value = 0;

    for (int i = 0; i < 2; i++) {
        if (p[i] >= '0' && p[i] <= '9')
            value = value * 16 + (p[i] - '0');
        else if (p[i] >= 'a' && p[i] <= 'f')
            value = value * 16 + (p[i] - 'a' + 10);
        else if (p[i] >= 'A' && p[i] <= 'F')
            value = value * 16 + (p[i] - 'A' + 10);
        else
            return -1;
    }
    return value;
}
//- new
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int hex_byte(const char *p)
{
    int high, low;

    high = hex_digit(p[0]);
    if (high < 0)
        return -1;
    low = hex_digit(p[1]);
    return low < 0 ? -1 : high << 4 | low;
}
//- broken
static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'G')
        return c - 'A' + 10;
    return -1;
}

int hex_byte(const char *p)
{
    int high, low;

    high = hex_digit(p[0]);
    if (high < 0)
        return -1;
    low = hex_digit(p[1]);
    return low < 0 ? -2 : high << 4 | low;
}

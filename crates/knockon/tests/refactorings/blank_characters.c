// function: is_blank
// kind: lookup table, De Morgan
// witness: is_blank('\v')
// try: { show(is_blank((unsigned char)r)); show(is_blank(r & 31)); }
//- old
int is_blank(unsigned char c)
{
    if (c != ' ' && !(c >= '\t' && c <= '\r'))
        return 0;
    return 1;
}
//- new
static const unsigned char blanks[33] = {
    ['\t'] = 1, ['\n'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1, [' '] = 1,
};

int is_blank(unsigned char c)
{
    return c <= ' ' && blanks[c];
}
//- broken
static const unsigned char blanks[33] = {
    ['\t'] = 1, ['\n'] = 1, ['\f'] = 1, ['\r'] = 1, [' '] = 1,
};

int is_blank(unsigned char c)
{
    return c <= ' ' && blanks[c];
}

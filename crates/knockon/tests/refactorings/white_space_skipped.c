// function: skip -> skip_white_space
// kind: renamed function, hoisted invariant
// after: cJSON bd07334 (the function is renamed)
// witness: *skip("\t\x1f!")
// try: { char text[10]; fill_text(text, 10, " \t\n\x01!a"); show(skip(text) - text); show(skip(0) == 0); }
//- old
const char *skip(const char *in)
{
    while (in && *in && (unsigned char)*in <= 32)
        in++;
    return in;
}
//- new
const char *skip_white_space(const char *in)
{
    if (!in)
        return 0;
    while (*in && (unsigned char)*in <= ' ')
        in++;
    return in;
}
//- broken
const char *skip_white_space(const char *in)
{
    if (!in)
        return 0;
    while (*in == ' ' || (*in >= '\t' && *in <= '\r'))
        in++;
    return in;
}

// function: quoted_length
// kind: extract variable, switch
// after: cJSON 0ca8587 (the escapes are counted apart from the characters)
// witness: quoted_length((const unsigned char *)"a\n")
// try: { char text[12]; fill_text(text, 12, "ab\"\\\n\t\x01\x1f"); show(quoted_length((const unsigned char *)text)); show(quoted_length(0)); }
//- old
unsigned quoted_length(const unsigned char *text)
{
    unsigned length = 2;

    if (!text)
        return 2;
    while (*text) {
        if (*text == '"' || *text == '\\' || *text == '\n' || *text == '\t')
            length += 2;
        else if (*text < 32)
            length += 6;
        else
            length++;
        text++;
    }
    return length;
}
//- new
unsigned quoted_length(const unsigned char *input)
{
    unsigned escapes = 0, characters = 0;

    if (input == 0)
        return sizeof("\"\"") - 1;
    for (; *input; input++) {
        switch (*input) {
        case '"': case '\\': case '\n': case '\t':
            escapes++;
            break;
        default:
            if (*input < 32)
                escapes += 5;
            break;
        }
        characters++;
    }
    return characters + escapes + 2;
}
//- broken
unsigned quoted_length(const unsigned char *input)
{
    unsigned escapes = 0, characters = 0;

    if (input == 0)
        return sizeof("\"\"") - 1;
    for (; *input; input++) {
        switch (*input) {
        case '"': case '\\': case '\n': case '\t':
            escapes++;
        /* fall through */
        default:
            if (*input < 32)
                escapes += 5;
            break;
        }
        characters++;
    }
    return characters + escapes + 2;
}

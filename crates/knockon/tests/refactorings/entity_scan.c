// function: count_entities
// kind: goto elimination
// after: mdp fcd3b95 (a jump to the reset becomes a reset and continue)
// witness: count_entities("&#a;&b;")
// try: { char text[16]; fill_text(text, 16, "&&#ab;;"); show(count_entities(text)); }
//- old
int count_entities(const char *text)
{
    const char *start = 0;
    int count = 0;

    for (const char *c = text; *c; c++) {
        if (*c == '&') {
            start = c;
            continue;
        }
        if (!start)
            continue;
        if (*c == '#') {
            if (c == start + 1)
                continue;
            goto clean;
        }
        if (*c != ';')
            continue;
        if (c != start + 1)
            count++;
clean:
        start = 0;
    }
    return count;
}
//- new
int count_entities(const char *text)
{
    const char *start = 0;
    int count = 0;

    for (const char *c = text; *c; c++) {
        if (*c == '&') {
            start = c;
            continue;
        }
        if (!start)
            continue;
        if (*c == '#') {
            if (c != start + 1)
                start = 0;
            continue;
        }
        if (*c == ';') {
            if (c != start + 1)
                count++;
            start = 0;
        }
    }
    return count;
}
//- broken
int count_entities(const char *text)
{
    const char *start = 0;
    int count = 0;

    for (const char *c = text; *c; c++) {
        if (*c == '&') {
            start = c;
            continue;
        }
        if (!start)
            continue;
        if (*c == '#') {
            start = 0;
            continue;
        }
        if (*c == ';') {
            if (c != start + 1)
                count++;
            start = 0;
        }
    }
    return count;
}

// function: count_includes
// kind: goto elimination
// after: tinyvm 378cc66 (jumps to a common return become returns)
// witness: count_includes("%include %include", 0)
// try: { char line[32]; fill_text(line, 32, "% %in"); show(count_includes(r & 1 ? line : 0, r >> 1 & 3)); }
//- old
static int starts(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return 0;
    return 1;
}

int count_includes(const char *source, int limit)
{
    int found = 0;

    if (!source)
        goto done;
    for (; *source; source++) {
        if (!starts(source, "%in"))
            continue;
        found++;
        if (limit && found == limit)
            goto done;
    }
done:
    return found;
}
//- new
static int starts(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return 0;
    return 1;
}

int count_includes(const char *source, int limit)
{
    int found = 0;

    if (!source)
        return 0;
    for (; *source; source++) {
        if (!starts(source, "%in"))
            continue;
        found++;
        if (limit && found == limit)
            return found;
    }
    return found;
}
//- broken
static int starts(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return 0;
    return 1;
}

int count_includes(const char *source, int limit)
{
    int found = 0;

    if (!source)
        return 0;
    for (; *source; source++) {
        if (!starts(source, "%in"))
            continue;
        found++;
        if (found >= limit)
            return found;
    }
    return found;
}

// function: has_prefix
// kind: string comparison, pointer walk
// witness: has_prefix("ab", "abc")
// try: { char a[8], b[8]; fill_text(a, 8, "aab"); fill_text(b, 5, "aab"); show(has_prefix(a, b)); show(has_prefix(b, a)); }
//- old
int has_prefix(const char *path, const char *prefix)
{
    int i;

    for (i = 0; prefix[i] != '\0'; i++)
        if (path[i] != prefix[i])
            return 0;
    return path[i] == '\0' || path[i] == '/' ? 2 : 1;
}
//- new
int has_prefix(const char *path, const char *prefix)
{
    while (*prefix) {
        if (*path++ != *prefix++)
            return 0;
    }
    if (*path == '/' || !*path)
        return 2;
    return 1;
}
//- broken
int has_prefix(const char *path, const char *prefix)
{
    while (*prefix && *path) {
        if (*path++ != *prefix++)
            return 0;
    }
    if (*path == '/' || !*path)
        return 2;
    return 1;
}

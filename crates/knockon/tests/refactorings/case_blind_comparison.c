// function: compare_names -> compare_ignoring_case
// kind: renamed function, string comparison, nested conditions
// after: cJSON e980334 (the null tests are merged, the function is renamed)
// witness: compare_names("Ac", "aD")
// try: { char a[6], b[6]; fill_text(a, 6, "aAbB"); fill_text(b, 6, "aAbB"); show(compare_names(r & 7 ? a : 0, r & 56 ? b : 0)); }
//- old
static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int compare_names(const unsigned char *s1, const unsigned char *s2)
{
    if (s1 == 0) {
        return 1;
    }
    if (s2 == 0)
        return 1;
    for (; lower(*s1) == lower(*s2); s1++, s2++) {
        if (*s1 == 0)
            return 0;
    }
    return lower(s1[0]) - lower(s2[0]);
}
//- new
static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int compare_ignoring_case(const unsigned char *string1, const unsigned char *string2)
{
    if ((string1 == 0) || (string2 == 0))
        return 1;
    for (; lower(*string1) == lower(*string2); (void)string1++, string2++) {
        if (*string1 == '\0')
            return 0;
    }
    return lower(*string1) - lower(*string2);
}
//- broken
static int lower(int c)
{
    return c >= 'A' && c < 'Z' ? c + 32 : c;
}

int compare_ignoring_case(const unsigned char *string1, const unsigned char *string2)
{
    if ((string1 == 0) || (string2 == 0))
        return 1;
    for (; *string1 == lower(*string2); (void)string1++, string2++) {
        if (*string1 == '\0')
            return 0;
    }
    return lower(*string1) - lower(*string2);
}

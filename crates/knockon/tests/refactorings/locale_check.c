// function: locale_ok
// kind: truth value, conditional expression
// after: coreutils sort.c (a conditional operator becomes a double negation)
// witness: locale_ok("de")
// try: { const char *names[] = {"C", "", "de", "en", 0}; show(locale_ok(names[r % 5])); }
//- old
extern const char *choose_locale(int category, const char *name);

int locale_ok(const char *name)
{
    return choose_locale(6, name) ? 1 : 0;
}
//- new
extern const char *choose_locale(int category, const char *name);

int locale_ok(const char *name)
{
    return !!choose_locale(6, name);
}
//- broken
extern const char *choose_locale(int category, const char *name);

int locale_ok(const char *name)
{
    return !choose_locale(6, name);
}
//- world
const char *choose_locale(int category, const char *name)
{
    printf("choose %d\n", category);
    return name && name[0] ? name : 0;
}

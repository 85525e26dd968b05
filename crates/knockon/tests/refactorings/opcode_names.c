// function: opcode_of
// kind: lookup table, string comparison
// after: tinyvm c0cd47b (an if chain over mnemonics becomes a table and a loop)
// witness: opcode_of("pop")
// try: { const char *names[] = {"mov", "push", "pop", "inc", "dec", "po", "pushx", ""}; show(opcode_of(names[r & 7])); }
//- old
static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

int opcode_of(const char *word)
{
    if (same(word, "mov"))
        return 1;
    else if (same(word, "push"))
        return 2;
    else if (same(word, "pop"))
        return 3;
    else if (same(word, "inc"))
        return 4;
    return -1;
}
//- new
static const char *const mnemonics[] = {"mov", "push", "pop", "inc"};

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

int opcode_of(const char *word)
{
    for (int i = 0; i < 4; i++)
        if (same(word, mnemonics[i]))
            return i + 1;
    return -1;
}
//- broken
static const char *const mnemonics[] = {"mov", "pop", "push", "inc"};

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

int opcode_of(const char *word)
{
    for (int i = 0; i < 4; i++)
        if (same(word, mnemonics[i]))
            return i + 1;
    return -1;
}

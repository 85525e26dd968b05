// function: count_marks
// kind: dead code
// after: tmux ccb8b9eb2 (a variable that is only written goes)
// witness: count_marks("aa", 'a')
// try: { char text[16]; fill_text(text, 16, "aab"); show(count_marks(text, r & 1 ? 'a' : 'b')); }
//- old
unsigned count_marks(const char *line, char wanted)
{
    unsigned found = 0, column = 0;
    int which = -1;

    for (; line[column] != '\0'; column++) {
        if (line[column] != wanted)
            continue;
        found++;
        if (column == 3)
            which = (int)found;
    }
    (void)which;
    return found;
}
//- new
unsigned count_marks(const char *line, char wanted)
{
    unsigned found = 0, column = 0;

    for (; line[column] != '\0'; column++) {
        if (line[column] != wanted)
            continue;
        found++;
    }
    return found;
}
//- broken
unsigned count_marks(const char *line, char wanted)
{
    unsigned found = 0, column = 0;

    for (; line[column] != '\0'; column++) {
        if (line[column] != wanted)
            continue;
        found++;
        column++;
        if (line[column] == '\0' || line[column] == wanted)
            break;
    }
    return found;
}

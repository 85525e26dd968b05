// function: trim
// kind: rotated loop, pointer walk
// witness: { char line[] = "  "; return trim(line, 2) * 10 + (line[0] == 0); }
// try: { char line[12]; memset(line, 0, 12); fill_text(line, 10, "ab  \t"); show(trim(line, (int)strlen(line))); puts(line); }
//- old
int trim(char *line, int length)
{
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    line[length] = '\0';
    return length;
}
//- new
int trim(char *line, int length)
{
    if (length > 0) {
        do {
            char last = line[length - 1];
            if (last != ' ' && last != '\t')
                break;
        } while (--length > 0);
    }
    line[length] = '\0';
    return length;
}
//- broken
int trim(char *line, int length)
{
    if (length > 0) {
        do {
            char last = line[length - 1];
            if (last != ' ' && last != '\t')
                break;
        } while (--length > 1);
    }
    line[length] = '\0';
    return length;
}

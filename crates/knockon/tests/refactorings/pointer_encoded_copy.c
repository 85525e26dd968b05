// function: encode
// kind: pointer walk
// after: cJSON 674a678 (stepping after each store becomes indexing and one step)
// witness: { char to[8]; encode(to, "~/"); return to[1] * 1000 + to[3]; }
// try: { char from[12], to[32]; fill_text(from, 12, "a/~b"); encode(to, from); puts(to); }
//- old
void encode(char *d, const char *s)
{
    for (; *s; s++) {
        if (*s == '/') {
            *d++ = '~';
            *d++ = '1';
        } else if (*s == '~') {
            *d++ = '~';
            *d++ = '0';
        } else {
            *d++ = *s;
        }
    }
    *d = '\0';
}
//- new
void encode(char *destination, const char *source)
{
    for (; source[0] != '\0'; (void)source++, destination++) {
        if (source[0] == '/') {
            destination[0] = '~';
            destination[1] = '1';
            destination++;
        } else if (source[0] == '~') {
            destination[0] = '~';
            destination[1] = '0';
            destination++;
        } else {
            destination[0] = source[0];
        }
    }
    destination[0] = '\0';
}
//- broken
void encode(char *destination, const char *source)
{
    for (; source[0] != '\0'; (void)source++, destination++) {
        if (source[0] == '/') {
            destination[0] = '~';
            destination[1] = '1';
            destination++;
        } else if (source[0] == '~') {
            destination[0] = '~';
            destination[1] = '1';
            destination++;
        } else {
            destination[0] = source[0];
        }
    }
    destination[0] = '\0';
}

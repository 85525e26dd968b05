// function: decode
// kind: conditional expression, nested conditions
// after: cJSON 4ba6baf (nested conditional operators become if and else)
// witness: { char text[] = "a~1~0b"; decode(text); return text[1] * 1000 + text[2]; }
// try: { char text[16]; fill_text(text, 16, "a~01"); for (int i = 0; text[i]; i++) { if (text[i] == '~' && !text[i + 1]) text[i] = 'x'; }
//   decode(text); puts(text); decode(0); }
//- old
void decode(char *string)
{
    char *s2 = string;

    if (string == 0)
        return;
    for (; *string; s2++, string++) {
        *s2 = (*string != '~') ? *string : ((*++string == '0') ? '~' : '/');
    }
    *s2 = '\0';
}
//- new
void decode(char *string)
{
    char *decoded = string;

    if (string == 0)
        return;
    for (; *string; decoded++, string++) {
        if (string[0] == '~') {
            string++;
            if (string[0] == '0')
                decoded[0] = '~';
            else
                decoded[0] = '/';
        } else {
            decoded[0] = string[0];
        }
    }
    decoded[0] = '\0';
}
//- broken
void decode(char *string)
{
    char *decoded = string;

    if (string == 0)
        return;
    for (; *string; decoded++, string++) {
        if (string[0] == '~') {
            string++;
            if (string[0] == '0')
                decoded[0] = '~';
            else
                decoded[1] = '/';
        } else {
            decoded[0] = string[0];
        }
    }
    decoded[0] = '\0';
}

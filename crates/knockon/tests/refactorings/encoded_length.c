// function: encoded_length
// kind: loop form
// after: cJSON b8e3673 (the counter is initialised by the loop)
// witness: encoded_length("a/b~")
// try: { char path[20]; fill_text(path, 20, "a/~b"); show(encoded_length(path)); }
//- old
#include <stddef.h>

size_t encoded_length(const char *s)
{
    size_t l = 0;
    for (; *s; (void)s++, l++) {
        if ((*s == '~') || (*s == '/'))
            l++;
    }
    return l;
}
//- new
#include <stddef.h>

size_t encoded_length(const char *string)
{
    size_t length;
    for (length = 0; *string != '\0'; string++, length++) {
        /* escaped by a tilde and a digit */
        if ((*string == '~') || (*string == '/'))
            length++;
    }
    return length;
}
//- broken
#include <stddef.h>

size_t encoded_length(const char *string)
{
    size_t length;
    for (length = 0; *string != '\0'; string++, length++) {
        if ((*string == '~') || (*string == '\\'))
            length++;
    }
    return length;
}

// function: count_words
// kind: hoisted invariant
// witness: count_words("one two")
// try: { char text[20]; fill_text(text, 20, "ab  \n"); show(count_words(text)); }
//- old
#include <string.h>

unsigned count_words(const char *text)
{
    unsigned words = 0;

    for (size_t i = 0; i < strlen(text); i++) {
        if (text[i] != ' ' && (text[i + 1] == ' ' || text[i + 1] == '\0'))
            words++;
    }
    return words;
}
//- new
#include <string.h>

unsigned count_words(const char *text)
{
    size_t length = strlen(text);
    unsigned words = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] != ' ' && (text[i + 1] == ' ' || text[i + 1] == '\0'))
            words++;
    }
    return words;
}
//- broken
#include <string.h>

unsigned count_words(const char *text)
{
    size_t length = strlen(text);
    unsigned words = 0;

    for (size_t i = 0; i + 1 < length; i++) {
        if (text[i] != ' ' && (text[i + 1] == ' ' || text[i + 1] == '\0'))
            words++;
    }
    return words;
}

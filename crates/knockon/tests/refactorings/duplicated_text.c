// function: duplicate
// kind: extract variable, external calls
// after: cJSON 055c700 (an assignment leaves the condition)
// witness: { char *copy = duplicate("word"); long long last = copy[4] * 100 + copy[3]; free(copy); return last; }
// try: { char text[20]; fill_text(text, 20, "abc"); char *copy = duplicate(text); show(strcmp(copy, text)); free(copy);
//   show(duplicate(0) == 0); }
//- old
#include <stdlib.h>
#include <string.h>

char *duplicate(const char *str)
{
    size_t len;
    char *copy;

    if (!str)
        return NULL;
    len = strlen(str) + 1;
    if (!(copy = (char *)malloc(len)))
        return NULL;
    memcpy(copy, str, len);
    return copy;
}
//- new
#include <stdlib.h>
#include <string.h>

char *duplicate(const char *string)
{
    size_t length = 0;
    char *copy = NULL;

    if (string == NULL) {
        return NULL;
    }
    length = strlen(string) + sizeof("");
    copy = (char *)malloc(length);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, string, length);
    return copy;
}
//- broken
#include <stdlib.h>
#include <string.h>

char *duplicate(const char *string)
{
    size_t length = 0;
    char *copy = NULL;

    if (string == NULL) {
        return NULL;
    }
    length = strlen(string);
    copy = (char *)malloc(length + sizeof(""));
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, string, length);
    copy[length] = copy[0];
    return copy;
}

// function: print_rows
// kind: extract constant, external calls
// after: coreutils paste.c (the newline literal becomes a file-level delimiter)
// witness: { print_rows("a", "b", 3); return 0; }
// try: { print_rows(r & 1 ? "one" : "", r & 2 ? "two" : "2", r >> 2 & 7); }
//- old
#include <stdio.h>

void print_rows(const char *left, const char *right, int rows)
{
    while (rows-- > 0) {
        printf("%s", left);
        putchar('\t');
        printf("%s", right);
        putchar('\n');
    }
}
//- new
#include <stdio.h>

static const unsigned char field_delimiter = '\t';
static const unsigned char line_delimiter = '\n';

void print_rows(const char *left, const char *right, int rows)
{
    while (rows-- > 0) {
        printf("%s", left);
        putchar(field_delimiter);
        printf("%s", right);
        putchar(line_delimiter);
    }
}
//- broken
#include <stdio.h>

static const unsigned char field_delimiter = '\t';
static unsigned char line_delimiter = '\n';

void print_rows(const char *left, const char *right, int rows)
{
    while (rows-- > 0) {
        printf("%s", left);
        putchar(field_delimiter);
        printf("%s", right);
        putchar(line_delimiter);
        if (rows == 1)
            line_delimiter = '\0';
    }
}

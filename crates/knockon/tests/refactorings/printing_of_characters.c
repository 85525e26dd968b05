// function: print_visible
// kind: loop form, pointer walk
// after: mdp 00c2ad (while becomes for, the step moves to the head)
// witness: { print_visible("\t\tx"); return 0; }
// try: { char line[24]; fill_text(line, 24, "ab\t\n c"); print_visible(line); }
//- old
#include <stdio.h>

void print_visible(const char *c)
{
    while (*c) {
        if (*c == '\t')
            putchar(' ');
        else
            putchar(*c);
        c++;
    }
}
//- new
#include <stdio.h>

void print_visible(const char *c)
{
    for (; *c; c++) {
        if (*c == '\t') {
            putchar(' ');
            continue;
        }
        putchar(*c);
    }
}
//- broken
#include <stdio.h>

void print_visible(const char *c)
{
    for (; *c; c++) {
        if (*c == '\t') {
            putchar(' ');
            c++;
            if (!*c)
                break;
        }
        putchar(*c);
    }
}

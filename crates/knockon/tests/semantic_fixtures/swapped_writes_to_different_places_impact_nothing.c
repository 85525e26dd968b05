#include <stdio.h>
int rows[8];
static void set(void) {
    rows[2] = 2;  // same, was: rows[1] = 1;
    rows[1] = 1;  // same, was: rows[2] = 2;
    rows[3] = 3;
}
int main(int argc, char **argv) {
    set();
    printf("%d\n", rows[argc & 7]);
    return 0;
}

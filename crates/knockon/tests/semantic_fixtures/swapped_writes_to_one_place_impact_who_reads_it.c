#include <stdio.h>
int a, b;
static int set(int *p, int *q, int *r) {
    *q = 2;  // same, was: *p = 1;
    *p = 1;  // same, was: *q = 2;
    *r = 3;
    return *p;  // impacted
}
int main(int argc, char **argv) {
    printf("%d\n", set(&a, argc > 1 ? &b : &a, argc > 2 ? &a : &b));  // impacted
    return 0;
}

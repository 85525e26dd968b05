#include <stdio.h>
#include <stdlib.h>
static int clamp(int x, int top) {
    return x <= top ? x : top;  // was: return x > top ? top : x;
}
static int twice(int x) {
    return x + x;  // was: return x * 2;
}
int main(int argc, char **argv) {
    int n = clamp(twice(argc), 100);
    if (n > 10)
        puts("many");
    printf("%d\n", n);
    return n;
}

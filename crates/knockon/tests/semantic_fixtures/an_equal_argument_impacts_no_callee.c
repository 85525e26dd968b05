#include <stdio.h>
static void last(int x) {
    printf("%d\n", x);
}
static void second(int x) {
    last(x + 2);
}
static void first(int x) {
    second(x + 1);
}
int main(int argc, char **argv) {
    first(argc + 0);  // was: first(argc);
    return 0;
}

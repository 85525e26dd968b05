#include <stdio.h>
int state = 5, other;
static void show(int a, int b) {
    if (a > 0 && a > 0) {  // was: if (a > 0) {
        if (b) {
            state = 1;              // same, was: printf("%d\n", state);
            printf("%d\n", state);  // was: state = 1;
        } else {
            other = 5;
        }
    }
}
int main(int argc, char **argv) {
    show(argc, argc);
    return 0;
}

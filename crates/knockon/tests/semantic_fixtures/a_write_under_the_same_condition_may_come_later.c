#include <stdio.h>
int state;
static void set(int x) {
    // removed: if (x > 3)
    // removed:     state = 1;
    state = 2;
    if (4 <= x)     // added
        state = 1;  // impacted
}
int main(int argc, char **argv) {
    set(argc);
    printf("%d\n", state);  // impacted
    return 0;
}

#include <stdio.h>
int state;
static void one(void) {
    state = 1;  // impacted?
}  // impacted?
static void set(int x) {
    // removed: if (x > 3)
    // removed:     one();
    state = 2;
    if (4 <= x)  // added
        one();   // impacted
}
int main(int argc, char **argv) {
    set(argc);
    printf("%d\n", state);  // impacted
    return 0;
}

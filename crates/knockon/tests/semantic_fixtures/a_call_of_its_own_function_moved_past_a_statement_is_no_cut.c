#include <stdio.h>
static int sum(int n) {
    int rest = 0;           // impacted?
    if (!(n <= 0)) {        // added
        rest = sum(n - 1);  // added
    }                       // added
    int own = n * 3;        // impacted
    // removed: if (n > 0) {
    // removed: rest = sum(n - 1);
    // removed: }
    return rest + own;  // impacted?
}
int main(int argc, char **argv) {
    printf("%d\n", sum(argc));
    return 0;
}

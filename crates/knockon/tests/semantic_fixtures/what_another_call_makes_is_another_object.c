#include <stdio.h>
#include <stdlib.h>
static int *make(void) {
    return malloc(4);  // impacted
}
int main(int argc, char **argv) {
    int *p;
    // removed: p = make();
    if (argc > 1)    // added
        p = make();  // added
    else             // same, added
        p = make();  // added
    if (p == NULL)   // impacted
        return 1;    // impacted?
    *p = argc;       // impacted
    printf("%d\n", *p);  // impacted?
    return 0;        // impacted?
}  // impacted?

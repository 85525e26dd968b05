#include <stdio.h>
extern int maybe(int) __attribute__((weak));
int maybe(int x) { return x; }  // added
int main(void) {
    if (maybe)        // impacted
        puts("yes");  // impacted
    else
        puts("no");   // impacted
    return 0;  // impacted?
}

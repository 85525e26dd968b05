#include <stdio.h>
#pragma STDC FENV_ACCESS ON
int main(int argc, char **argv) {
    double a = argc, b = 2.5;
    int r = 0;
    if (a > b)  // was: if (a < b)
        r = 1;            // impacted
    printf("%d\n", r);    // impacted
    return 0;
}

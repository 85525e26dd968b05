#include <stdio.h>
static int serve(int x, int ready) {
    int share = 10 / ready;  // was: int share = 10 / !ready;
    int y = x * 3;           // was: int y = x * x;
    printf("%d\n", y);       // impacted
    while (!ready)           // was: while (ready)
        ;
    y = x * 5;               // was: y = x * x;
    printf("%d\n", y);       // impacted
    return share;            // impacted
}
int main(int argc, char **argv) {
    return serve(argc, 1);  // was: return serve(argc, 0);
}

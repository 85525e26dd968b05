#include <stdio.h>
static int serve(int x, int ready) {
    int sum = 0;
    for (int i = 0; i < x + 20; i++) {
        int share = 10 / ready;  // was: int share = 10 / !ready;
        sum += x * 3;            // was: sum += x * x;
        printf("%d\n", sum);     // impacted
    }
    return sum;  // impacted
}
int main(int argc, char **argv) {
    return serve(argc + 1, 1);  // was: return serve(argc + 1, 0);
}

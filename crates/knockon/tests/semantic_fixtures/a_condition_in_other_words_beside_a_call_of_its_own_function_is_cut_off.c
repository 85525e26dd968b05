#include <stdio.h>
static int shown;
static int sum(int n) {
    int rest = 0;
    if (!(n <= 0)) {  // was: if (n > 0) {
        rest = sum(n - 1);
        shown++;
    }  // impacted?
    int own = n * 3;
    return rest + own;
}
int main(int argc, char **argv) {
    printf("%d %d\n", sum(argc), shown);
    return 0;
}

#include <stdio.h>
static int count;
static int next(int step) {
    count += step;  // impacted
    return count;   // impacted
}
int main(int argc, char **argv) {
    int a = next(2);  // was: int a = next(1);
    int b = next(1);  // was: int b = next(2);
    printf("%d\n", a + b - count);  // impacted
    return 0;
}

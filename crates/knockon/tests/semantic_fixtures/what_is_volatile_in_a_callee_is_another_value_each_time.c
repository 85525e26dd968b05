#include <stdio.h>
volatile int device;
static int look(void) { return device; }
static int moved(void) {
    int first = look();
    int second = look();
    return first - first;  // was: return second - first;
}
int main(void) {
    int d = moved();  // impacted
    printf("%d\n", d);  // impacted
    return 0;
}

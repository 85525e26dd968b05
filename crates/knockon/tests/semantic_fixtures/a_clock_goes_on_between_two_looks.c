#include <stdio.h>
#include <time.h>
static long passed(void) {
    long first = time(0);
    long second = time(0);
    return first - first;  // was: return second - first;
}
int main(void) {
    long d = passed();  // impacted
    printf("%ld\n", d);  // impacted
    return 0;
}

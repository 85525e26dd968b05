#include <stdio.h>
struct record {
    // removed: unsigned int bits : 23;
    unsigned long whole;
    unsigned int bits : 23;  // same, added
};
static int use(int n) {
    const unsigned long long nine = 9;
    int sum = 0;
    while (n > 0) {
        --n;
        struct record local = {nine / 1u, (_Bool)-9};  // impacted
        sum += local.bits;                             // impacted
    }
    return sum;  // impacted
}
int main(int argc, char **argv) {
    printf("%d\n", use(argc));  // impacted
    return 0;
}

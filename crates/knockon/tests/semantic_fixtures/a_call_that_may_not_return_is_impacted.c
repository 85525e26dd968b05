#include <stdlib.h>
static unsigned checksum = 5;
static int work(int x) {
    if (checksum & 1u)  // added
        exit(1);        // added
    return x * 2;       // impacted
}
int main(int argc, char **argv) {
    checksum += argc;
    work(argc);  // impacted
    return 0;    // impacted
}

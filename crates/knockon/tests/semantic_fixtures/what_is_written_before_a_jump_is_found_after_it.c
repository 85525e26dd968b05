#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static int state;
static void leave(int a) {
    state = a + 1;  // was: state = a;
    longjmp(back, 1);
}
static void between(int a) {
    leave(a);
}
int main(int argc, char **argv) {
    if (setjmp(back) == 0)
        between(argc);
    printf("%d\n", state);  // impacted
    return 0;
}

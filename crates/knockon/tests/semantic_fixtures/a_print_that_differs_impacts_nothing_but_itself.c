#include <stdio.h>
#include <stdlib.h>
static int total;
static void note(int amount) {
    total += amount;
    printf("%d\n", amount);
}
int main(int argc, char **argv) {
    int rate = argc * 3;  // was: int rate = 3 * argc;
    note(rate);
    if (total > 9)
        printf("high: %d\n", total + 1);  // was: printf("high: %d\n", total);
    return total;
}

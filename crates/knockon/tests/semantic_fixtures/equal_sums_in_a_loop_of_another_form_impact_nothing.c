#include <stdio.h>
#include <stdlib.h>
static int sum(const int *values, int count) {
    int all = 0;
    int i = 0;  // same, added
    while (i < count) {  // same, was: for (int i = 0; i < count; i++)
        all += values[i];
        i++;  // same, added
    }  // same, added
    return all;
}
int main(int argc, char **argv) {
    int values[3] = {1, 2, argc};
    printf("%d\n", sum(values, 3));
    return 0;
}

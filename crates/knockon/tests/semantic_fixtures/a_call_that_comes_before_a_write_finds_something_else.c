#include <stdio.h>
#include <string.h>
struct registry {
    int rows[4];
    int count;
};
static void record(struct registry *registry, int value) {
    registry->rows[registry->count++ % 4] = value;  // impacted
}  // impacted
int main(void) {
    struct registry registry;
    memset(&registry, 0, sizeof registry);
    record(&registry, 5);
    record(&registry, 6);  // same, was: registry.count = 3;
    registry.count = 3;    // same, was: record(&registry, 6);
    printf("%d\n", registry.rows[1]);  // impacted
    return 0;
}

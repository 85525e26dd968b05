#include <stdio.h>
#include <stdlib.h>
static int is_known(const char *name) {
    return !!getenv(name);  // was: return getenv(name) ? 1 : 0;
}
static void title(char end) {
    printf("%s%c", "ticket", end);
}
static int zone(int known) {
    if (known) {
        printf("%s", "zone ");
        return 1;
    }
    return 0;
}
static int fare(int known, char end) {
    if (known) {
        printf("%d%c", 12, end);  // impacted
        return 1;
    }
    return 0;
}
int main(int argc, char **argv) {
    char end = '\n';  // added
    int printed = 0;
    title(end);  // same, was: title('\n');
    int known = is_known("ZONE");
    if (argc > 1)
        printed = zone(known);
    if (argc > 2 && printed) {
        end = ' ';  // added
        printed = fare(known, end);  // was: printed = fare(known, '\0');
    }
    return printed;
}

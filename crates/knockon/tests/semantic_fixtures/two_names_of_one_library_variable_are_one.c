#include <stdio.h>
extern char **environ, **__environ;
static char *first[] = {"a", 0};
static char *second[] = {"b", 0};
int main(void) {
    environ = first;
    __environ = second;  // was: __environ = first;
    puts(environ[0]);  // impacted
    return 0;
}

// function: interpret
// kind: goto elimination, branch inversion, external calls
// after: tinyvm de3a679 (a jump over the error path becomes an if around it)
// witness: interpret(-1)
// try: { show(interpret((int)(r % 9) - 4)); }
//- old
#include <stdio.h>

extern int open_program(int name);
extern int run_program(int handle);

int interpret(int name)
{
    int handle = open_program(name);

    if (handle)
        goto run;
    if (!handle && name >= 0)
        handle = open_program(name + 100);
    if (handle)
        goto run;
    puts("not found");
    return 1;
run:
    return run_program(handle);
}
//- new
#include <stdio.h>

extern int open_program(int name);
extern int run_program(int handle);

int interpret(int name)
{
    int handle = open_program(name);

    if (!handle && name >= 0)
        handle = open_program(name + 100);
    if (!handle) {
        puts("not found");
        return 1;
    }
    return run_program(handle);
}
//- broken
#include <stdio.h>

extern int open_program(int name);
extern int run_program(int handle);

int interpret(int name)
{
    int handle = open_program(name);

    if (!handle)
        handle = open_program(name + 100);
    if (!handle) {
        puts("not found");
        return 1;
    }
    return run_program(handle);
}
//- world
int open_program(int name) { printf("open %d\n", name); return name > 1 ? name : 0; }
int run_program(int handle) { printf("run %d\n", handle); return handle & 1; }

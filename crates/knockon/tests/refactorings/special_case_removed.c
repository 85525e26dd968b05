// function: open_with_extension
// kind: dead code, early return, external calls
// after: tinyvm af76c4c (an early return that does what the end does goes)
// witness: open_with_extension(2, 9)
// try: { show(open_with_extension(r & 7, r >> 4 & 7)); }
//- old
extern int try_open(int name);
extern void release(int name);

int open_with_extension(int name, int extension)
{
    int file = try_open(name);

    if (!file) {
        file = try_open(name * 10 + extension);
        if (!file) {
            release(name);
            return 0;
        }
    }
    release(name);
    return file;
}
//- new
extern int try_open(int name);
extern void release(int name);

int open_with_extension(int name, int extension)
{
    int file = try_open(name);

    if (!file)
        file = try_open(name * 10 + extension);
    release(name);
    return file;
}
//- broken
extern int try_open(int name);
extern void release(int name);

int open_with_extension(int name, int extension)
{
    int file = try_open(name);

    if (!file)
        file = try_open(name * 10 + extension);
    if (file)
        release(name);
    return file;
}
//- world
int try_open(int name) { printf("open %d\n", name); return name % 3 == 2 || name % 10 == 9 ? 0 : name; }
void release(int name) { printf("release %d\n", name); }

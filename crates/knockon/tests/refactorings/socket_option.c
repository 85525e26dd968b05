// function: create_socket
// kind: extract function, external calls
// after: hiredis b4664b4 (setting an option becomes a static function)
// witness: create_socket(-5)
// try: { show(create_socket((int)(r & 15) - 8)); }
//- old
extern int open_socket(int type);
extern int set_option(int handle, int option);
extern void close_socket(int handle);
extern void report(int code);

int create_socket(int type)
{
    int handle = open_socket(type);

    if (handle == -1) {
        report(1);
        return -1;
    }
    if (type < 0) {
        if (set_option(handle, 2) == -1) {
            report(2);
            close_socket(handle);
            return -1;
        }
    }
    return handle;
}
//- new
extern int open_socket(int type);
extern int set_option(int handle, int option);
extern void close_socket(int handle);
extern void report(int code);

static int reuse_address(int handle)
{
    if (set_option(handle, 2) == -1) {
        report(2);
        close_socket(handle);
        return 1;
    }
    return 0;
}

int create_socket(int type)
{
    int handle = open_socket(type);

    if (handle == -1) {
        report(1);
        return -1;
    }
    if (type < 0 && reuse_address(handle))
        return -1;
    return handle;
}
//- broken
extern int open_socket(int type);
extern int set_option(int handle, int option);
extern void close_socket(int handle);
extern void report(int code);

static int reuse_address(int handle)
{
    if (set_option(handle, 2) == -1) {
        close_socket(handle);
        report(2);
        return 1;
    }
    return 0;
}

int create_socket(int type)
{
    int handle = open_socket(type);

    if (handle == -1) {
        report(1);
        return -1;
    }
    if (type < 0 && reuse_address(handle))
        return -1;
    return handle;
}
//- world
int open_socket(int type) { printf("open %d\n", type); return type % 3 == 0 ? -1 : type + 20; }
int set_option(int handle, int option) { printf("set %d %d\n", handle, option); return handle & 1 ? -1 : 0; }
void close_socket(int handle) { printf("close %d\n", handle); }
void report(int code) { printf("report %d\n", code); }

// function: next_reply
// kind: extract function, loop form, external calls
// after: hiredis dfa33e6 (reading one reply is parted from skipping pushed ones)
// witness: next_reply(0)
// try: { show(next_reply(r & 7)); }
//- old
extern int read_reply(int source);
extern int handle_push(int reply);
extern void set_error(int code);

int next_reply(int source)
{
    int reply;

    do {
        reply = read_reply(source);
        if (reply < 0) {
            set_error(reply);
            return -1;
        }
    } while (reply > 100 && handle_push(reply));
    return reply;
}
//- new
extern int read_reply(int source);
extern int handle_push(int reply);
extern void set_error(int code);

static int reply_or_error(int source)
{
    int reply = read_reply(source);

    if (reply >= 0)
        return reply;
    set_error(reply);
    return -1;
}

int next_reply(int source)
{
    for (;;) {
        int reply = reply_or_error(source);

        if (reply <= 100 || !handle_push(reply))
            return reply;
    }
}
//- broken
extern int read_reply(int source);
extern int handle_push(int reply);
extern void set_error(int code);

static int reply_or_error(int source)
{
    int reply = read_reply(source);

    if (reply < 0)
        set_error(reply);
    return reply;
}

int next_reply(int source)
{
    for (;;) {
        int reply = reply_or_error(source);

        if (reply <= 100 || !handle_push(reply))
            return reply;
    }
}
//- world
static int replies_read;
static const int replies[] = {-7, 5, 101, -3, 102, 103, 8, 0, 104, 9};
int read_reply(int source)
{
    int reply = replies[(source + replies_read++) % 10];
    printf("reply %d\n", reply);
    return reply;
}
int handle_push(int reply) { printf("push %d\n", reply); return reply != 104; }
void set_error(int code) { printf("error %d\n", code); }

// function: reset_reader
// kind: filled block, dead code
// after: hiredis 54acc8f (stores of zero into zeroed memory go)
// witness: { struct reader r = {1, 2, 3, 4, 5}; reset_reader(&r, 9); return r.state * 10 + r.depth; }
// try: { struct reader s = {r & 7, r >> 3 & 7, r >> 6 & 7, r >> 9 & 7, r >> 12 & 7}; reset_reader(&s, (int)(r >> 16 & 255));
//   show(s.error); show(s.position); show(s.length); show(s.depth); show(s.state); }
//- old
#include <string.h>

struct reader {
    int error;
    int position;
    int length;
    int depth;
    int state;
};

void reset_reader(struct reader *reader, int state)
{
    memset(reader, 0, sizeof *reader);
    reader->error = 0;
    reader->position = 0;
    reader->depth = -1;
    reader->state = state;
}
//- new
#include <string.h>

struct reader {
    int error;
    int position;
    int length;
    int depth;
    int state;
};

void reset_reader(struct reader *reader, int state)
{
    memset(reader, 0, sizeof *reader);
    reader->depth = -1;
    reader->state = state;
}
//- broken
#include <string.h>

struct reader {
    int error;
    int position;
    int length;
    int depth;
    int state;
};

void reset_reader(struct reader *reader, int state)
{
    reader->depth = -1;
    reader->state = state;
    memset(reader, 0, sizeof *reader - sizeof reader->state);
}

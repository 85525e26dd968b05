// function: take_leftover
// kind: dead code, filled block
// after: zlib 9331fec (a test around copying nothing goes)
// witness: { struct stream s = {{1, 2, 3}, {0}, 0, 7}; take_leftover(&s); return s.have; }
// try: { struct stream s = {{r & 255, r >> 8 & 255, r >> 16 & 255}, {0}, r >> 24 & 3, 7}; take_leftover(&s);
//   show_bytes(s.output, 8); show(s.available); show(s.have); }
//- old
#include <string.h>

struct stream {
    unsigned char input[8];
    unsigned char output[8];
    unsigned available;
    unsigned have;
};

void take_leftover(struct stream *s)
{
    if (s->available > 8)
        return;
    s->have = 0;
    if (s->available) {
        memcpy(s->output, s->input, s->available);
        s->have = s->available;
        s->available = 0;
    }
}
//- new
#include <string.h>

struct stream {
    unsigned char input[8];
    unsigned char output[8];
    unsigned available;
    unsigned have;
};

void take_leftover(struct stream *s)
{
    if (s->available > 8)
        return;
    memcpy(s->output, s->input, s->available);
    s->have = s->available;
    s->available = 0;
}
//- broken
#include <string.h>

struct stream {
    unsigned char input[8];
    unsigned char output[8];
    unsigned available;
    unsigned have;
};

void take_leftover(struct stream *s)
{
    if (s->available > 8)
        return;
    if (s->available) {
        memcpy(s->output, s->input, s->available);
        s->have = s->available;
        s->available = 0;
    }
}

// function: release_buffer
// kind: dead code, external calls
// after: hiredis 83d3c09 (a test before free goes)
// witness: { struct buffer b = {malloc(4), 4, 2}; release_buffer(&b); return b.size * 10 + b.used; }
// try: { struct buffer b = {r & 1 ? malloc(4) : 0, r >> 1 & 7, r >> 4 & 7}; release_buffer(&b); show(b.data == 0); show(b.size); show(b.used); }
//- old
#include <stdlib.h>

struct buffer {
    char *data;
    unsigned size;
    unsigned used;
};

void release_buffer(struct buffer *buffer)
{
    if (buffer->data != NULL) {
        free(buffer->data);
    }
    buffer->data = NULL;
    buffer->size = 0;
    buffer->used = 0;
}
//- new
#include <stdlib.h>

struct buffer {
    char *data;
    unsigned size;
    unsigned used;
};

void release_buffer(struct buffer *buffer)
{
    free(buffer->data);
    buffer->data = NULL;
    buffer->used = buffer->size = 0;
}
//- broken
#include <stdlib.h>

struct buffer {
    char *data;
    unsigned size;
    unsigned used;
};

void release_buffer(struct buffer *buffer)
{
    free(buffer->data);
    buffer->data = NULL;
    buffer->size = 0;
}

// function: delete_key
// kind: inline function, branch inversion
// after: linenoise 9e15fd4 (deleting at the cursor and its refresh move into one function)
// witness: { struct line l = {"abc", 1, 3}; int code = delete_key(&l); return l.text[1] * 10 + code; }
// try: { struct line l; memset(&l, 0, sizeof l); fill_text(l.text, 9, "abc"); l.length = (unsigned)strlen(l.text); l.position = (unsigned)(r % (l.length + 1)); show(delete_key(&l)); puts(l.text); show(l.length); }
//- old
#include <string.h>

struct line {
    char text[16];
    unsigned position;
    unsigned length;
};

extern void refresh(const struct line *line);

static void delete_character(struct line *line)
{
    memmove(line->text + line->position, line->text + line->position + 1,
            line->length - line->position - 1);
    line->length--;
    line->text[line->length] = '\0';
}

int delete_key(struct line *line)
{
    if (line->length > 15)
        return -1;
    if (line->length > 0 && line->position < line->length) {
        delete_character(line);
        refresh(line);
    }
    return line->length == 0;
}
//- new
#include <string.h>

struct line {
    char text[16];
    unsigned position;
    unsigned length;
};

extern void refresh(const struct line *line);

int delete_key(struct line *line)
{
    if (line->length > 15)
        return -1;
    if (line->position >= line->length)
        return line->length == 0;
    memmove(line->text + line->position, line->text + line->position + 1,
            line->length - line->position - 1);
    line->text[--line->length] = '\0';
    refresh(line);
    return line->length == 0;
}
//- broken
#include <string.h>

struct line {
    char text[16];
    unsigned position;
    unsigned length;
};

extern void refresh(const struct line *line);

int delete_key(struct line *line)
{
    if (line->length > 15)
        return -1;
    if (line->position >= line->length)
        return line->length == 0;
    refresh(line);
    memmove(line->text + line->position, line->text + line->position + 1,
            line->length - line->position - 1);
    line->text[--line->length] = '\0';
    return line->length == 0;
}
//- world
void refresh(const struct line *line) { puts(line->text); }

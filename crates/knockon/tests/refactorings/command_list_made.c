// function: make_list
// kind: extract function, external calls
// after: tmux 8db89f8ef (making an empty list becomes a function)
// witness: { struct list *l = make_list(3); long long n = l->references * 10 + l->count; free(l); return n; }
// try: { struct list *l = make_list((int)(r & 7)); show(l->references); show(l->count); free(l); }
//- old
#include <stdlib.h>

struct list {
    int references;
    int count;
};

struct list *make_list(int count)
{
    struct list *list = calloc(1, sizeof *list);

    if (list == NULL)
        abort();
    list->references = 1;
    if (count > 5)
        count = 5;
    list->count = count;
    return list;
}
//- new
#include <stdlib.h>

struct list {
    int references;
    int count;
};

static struct list *new_list(void)
{
    struct list *list = calloc(1, sizeof *list);

    if (list == NULL)
        abort();
    list->references = 1;
    return list;
}

struct list *make_list(int count)
{
    struct list *list = new_list();

    list->count = count > 5 ? 5 : count;
    return list;
}
//- broken
#include <stdlib.h>

struct list {
    int references;
    int count;
};

static struct list *new_list(void)
{
    struct list *list = calloc(1, sizeof *list);

    if (list == NULL)
        abort();
    return list;
}

struct list *make_list(int count)
{
    struct list *list = new_list();

    list->count = count > 5 ? 5 : count;
    return list;
}

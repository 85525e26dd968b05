// function: edit_key
// kind: extract function
// after: linenoise 2144786 (the work for a key becomes a function)
// witness: { struct line l = {"ab cd  e", 7, 8}; edit_key(&l, 23); return l.position * 100 + l.text[4]; }
// try: { struct line l; memset(&l, 0, sizeof l); fill_text(l.text, 16, "ab  "); l.length = (int)strlen(l.text);
//   l.position = (int)(r % (l.length + 1)); edit_key(&l, r & 256 ? 23 : 11); puts(l.text); show(l.position); show(l.length); }
//- old
struct line {
    char text[32];
    int position;
    int length;
};

void edit_key(struct line *l, int key)
{
    if (key == 23) {
        int before = l->position, removed;

        while (l->position > 0 && l->text[l->position - 1] == ' ')
            l->position--;
        while (l->position > 0 && l->text[l->position - 1] != ' ')
            l->position--;
        removed = before - l->position;
        for (int i = before; i <= l->length; i++)
            l->text[i - removed] = l->text[i];
        l->length -= removed;
    } else if (key == 11) {
        l->text[l->position] = '\0';
        l->length = l->position;
    }
}
//- new
struct line {
    char text[32];
    int position;
    int length;
};

static void delete_word(struct line *l)
{
    int before = l->position, removed;

    while (l->position > 0 && l->text[l->position - 1] == ' ')
        l->position--;
    while (l->position > 0 && l->text[l->position - 1] != ' ')
        l->position--;
    removed = before - l->position;
    for (int i = before; i <= l->length; i++)
        l->text[i - removed] = l->text[i];
    l->length -= removed;
}

void edit_key(struct line *l, int key)
{
    switch (key) {
    case 11:
        l->text[l->position] = '\0';
        l->length = l->position;
        break;
    case 23:
        delete_word(l);
        break;
    }
}
//- broken
struct line {
    char text[32];
    int position;
    int length;
};

static void delete_word(struct line *l)
{
    int before = l->position, removed;

    while (l->position > 0 && l->text[l->position - 1] == ' ')
        l->position--;
    while (l->position > 0 && l->text[l->position - 1] != ' ')
        l->position--;
    removed = before - l->position;
    for (int i = before; i < l->length; i++)
        l->text[i - removed] = l->text[i];
    l->length -= removed;
}

void edit_key(struct line *l, int key)
{
    switch (key) {
    case 11:
        l->text[l->position] = '\0';
        l->length = l->position;
        break;
    case 23:
        delete_word(l);
        break;
    }
}

// function: word_under_mouse
// kind: extract function, early return
// after: tmux a84c10960 (two comparisons of the mode become a question)
// witness: word_under_mouse(2, 7)
// try: { show(word_under_mouse(r & 3, r >> 2 & 255)); }
//- old
enum mode { NO_MODE, COPY_MODE, VIEW_MODE, CLOCK_MODE };

int word_under_mouse(unsigned mode, int column)
{
    if (mode != NO_MODE) {
        if (mode == COPY_MODE || mode == VIEW_MODE)
            return column / 8;
        return -1;
    }
    return column;
}
//- new
enum mode { NO_MODE, COPY_MODE, VIEW_MODE, CLOCK_MODE };

static enum mode text_mode(unsigned mode)
{
    switch (mode) {
    case COPY_MODE:
    case VIEW_MODE:
        return (enum mode)mode;
    default:
        return NO_MODE;
    }
}

int word_under_mouse(unsigned mode, int column)
{
    if (mode == NO_MODE)
        return column;
    return text_mode(mode) != NO_MODE ? column / 8 : -1;
}
//- broken
enum mode { NO_MODE, COPY_MODE, VIEW_MODE, CLOCK_MODE };

static enum mode text_mode(unsigned mode)
{
    switch (mode) {
    case COPY_MODE:
        return COPY_MODE;
    default:
        return NO_MODE;
    }
}

int word_under_mouse(unsigned mode, int column)
{
    if (mode == NO_MODE)
        return column;
    return text_mode(mode) != NO_MODE ? column / 8 : -1;
}

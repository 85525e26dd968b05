// function: print_commands
// kind: hoisted invariant, conditional expression
// after: tmux 45f23f3a5 (the separators are chosen once)
// witness: { int groups[] = {1, 2, 2}; print_commands(groups, 3, 0); return 0; }
// try: { int groups[] = {r & 1, r >> 1 & 1, r >> 2 & 1, r >> 3 & 1}; print_commands(groups, r >> 4 & 3, r >> 8 & 1); }
//- old
extern void emit(const char *text);

void print_commands(const int *groups, int count, int escaped)
{
    for (int i = 0; i < count; i++) {
        emit("command");
        if (i + 1 < count) {
            if (groups[i] != groups[i + 1]) {
                if (escaped)
                    emit(" \\;\\; ");
                else
                    emit(" ;; ");
            } else {
                if (escaped)
                    emit(" \\; ");
                else
                    emit(" ; ");
            }
        }
    }
}
//- new
extern void emit(const char *text);

void print_commands(const int *groups, int count, int escaped)
{
    const char *separator;
    const char *single_separator = escaped ? " \\; " : " ; ";
    const char *double_separator = escaped ? " \\;\\; " : " ;; ";

    for (int i = 0; i < count; i++) {
        emit("command");
        if (i + 1 < count) {
            if (groups[i] != groups[i + 1])
                separator = double_separator;
            else
                separator = single_separator;
            emit(separator);
        }
    }
}
//- broken
extern void emit(const char *text);

void print_commands(const int *groups, int count, int escaped)
{
    const char *separator = " ; ";
    const char *double_separator = escaped ? " \\;\\; " : " ;; ";

    for (int i = 0; i < count; i++) {
        emit("command");
        if (i + 1 < count) {
            if (groups[i] != groups[i + 1])
                separator = double_separator;
            else if (escaped)
                separator = " \\; ";
            emit(separator);
        }
    }
}
//- world
void emit(const char *text) { puts(text); }

// function: escape_action
// kind: extract constant, switch
// after: linenoise d5ec9cb (numbers of keys become an enumeration)
// witness: escape_action('[', 'D')
// try: { const char *keys = "ABCDHFOx["; show(escape_action(keys[r % 9], keys[r / 16 % 9])); }
//- old
int escape_action(int first, int second)
{
    if (first == 91) {
        if (second == 68)
            return -1;
        else if (second == 67)
            return 1;
        else if (second == 65 || second == 66)
            return second == 65 ? 10 : 20;
    } else if (first == 79) {
        if (second == 72)
            return -100;
        if (second == 70)
            return 100;
    }
    return 0;
}
//- new
enum key { UP = 'A', DOWN, RIGHT, LEFT, END = 'F', HOME = 'H' };

int escape_action(int first, int second)
{
    if (first == '[') {
        switch (second) {
        case UP: return 10;
        case DOWN: return 20;
        case RIGHT: return 1;
        case LEFT: return -1;
        }
    } else if (first == 'O') {
        switch (second) {
        case HOME: return -100;
        case END: return 100;
        }
    }
    return 0;
}
//- broken
enum key { UP = 'A', DOWN, LEFT, RIGHT, END = 'F', HOME = 'H' };

int escape_action(int first, int second)
{
    if (first == '[') {
        switch (second) {
        case UP: return 10;
        case DOWN: return 20;
        case RIGHT: return 1;
        case LEFT: return -1;
        }
    } else if (first == 'O') {
        switch (second) {
        case HOME: return -100;
        case END: return 100;
        }
    }
    return 0;
}

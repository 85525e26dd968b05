// function: dump_array
// kind: external calls, peeled loop
// after: jq e4d0b12d (strings of one character are put as characters)
// witness: { int values[] = {4, 5}; dump_array(values, 2); return 0; }
// try: { int values[4] = {r & 255, r >> 8 & 255, r >> 16 & 255, r >> 24 & 255}; dump_array(values, r >> 32 & 3); }
//- old
extern void put(char c);

static void put_string(const char *text)
{
    while (*text)
        put(*text++);
}

void dump_array(const int *values, int count)
{
    put_string("[");
    for (int i = 0; i < count; i++) {
        if (i != 0)
            put_string(",");
        put('0' + values[i] % 8);
    }
    put_string("]");
}
//- new
extern void put(char c);

void dump_array(const int *values, int count)
{
    put('[');
    if (count > 0) {
        put('0' + values[0] % 8);
        for (int i = 1; i < count; i++) {
            put(',');
            put('0' + values[i] % 8);
        }
    }
    put(']');
}
//- broken
extern void put(char c);

void dump_array(const int *values, int count)
{
    put('[');
    if (count > 0) {
        put('0' + values[0] % 8);
        for (int i = 1; i < count; i++) {
            put('0' + values[i] % 8);
            put(',');
        }
    }
    put(']');
}
//- world
void put(char c) { putchar(c); }

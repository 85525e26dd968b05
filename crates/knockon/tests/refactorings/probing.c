// function: lookup
// kind: strength reduction, early exit
// witness: { keys[7] = 15; keys[0] = 23; return lookup(23); }
// try: { for (int i = 0; i < 8; i++) keys[i] = next() & 31; show(lookup(r & 31)); }
//- old
unsigned keys[8];

int lookup(unsigned key)
{
    unsigned slot = key % 8, tried;
    int found = 0;

    for (tried = 0; tried < 8 && !found; tried++) {
        if (keys[slot] == key)
            found = 1;
        else if (keys[slot] == 0)
            break;
        else
            slot = (slot + 1) % 8;
    }
    return found ? (int)slot : -1;
}
//- new
unsigned keys[8];

int lookup(unsigned key)
{
    unsigned slot = key & 7;

    for (unsigned tried = 0; tried < 8; tried++) {
        if (keys[slot] == key)
            return (int)slot;
        if (keys[slot] == 0)
            return -1;
        if (++slot == 8)
            slot = 0;
    }
    return -1;
}
//- broken
unsigned keys[8];

int lookup(unsigned key)
{
    for (unsigned slot = key & 7; slot < 8; slot++) {
        if (keys[slot] == key)
            return (int)slot;
        if (keys[slot] == 0)
            return -1;
    }
    return -1;
}

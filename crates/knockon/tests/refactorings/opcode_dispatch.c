// function: execute
// kind: switch
// after: tinyvm e78c192 (an if chain over the opcode becomes a switch)
// witness: { struct machine m = {{7, 7}, 0}; execute(&m, 4); return m.registers[0] * 10 + m.flags; }
// try: { struct machine m = {{r & 0xfff, r >> 16 & 0xfff}, r >> 32 & 3}; execute(&m, r >> 40 & 7);
//   show(m.registers[0]); show(m.registers[1]); show(m.flags); }
//- old
struct machine {
    unsigned registers[2];
    int flags;
};

void execute(struct machine *m, int opcode)
{
    unsigned *a = &m->registers[0], *b = &m->registers[1];

    if (opcode == 0)
        *a = *b;
    else if (opcode == 1)
        ++*a;
    else if (opcode == 2)
        *a += *b;
    else if (opcode == 3)
        *a ^= *b;
    else if (opcode == 4)
        m->flags = (*a == *b) | (*a > *b) << 1;
}
//- new
struct machine {
    unsigned registers[2];
    int flags;
};

void execute(struct machine *m, int opcode)
{
    unsigned *a = &m->registers[0], *b = &m->registers[1];

    switch (opcode) {
    case 0: *a = *b; break;
    case 1: ++*a; break;
    case 2: *a += *b; break;
    case 3: *a ^= *b; break;
    case 4: m->flags = (*a == *b) | (*a > *b) << 1; break;
    }
}
//- broken
struct machine {
    unsigned registers[2];
    int flags;
};

void execute(struct machine *m, int opcode)
{
    unsigned *a = &m->registers[0], *b = &m->registers[1];

    switch (opcode) {
    case 0: *a = *b; break;
    case 1: ++*a; break;
    case 2: *a += *b; break;
    case 3: *a ^= *b;
    /* fall through */
    case 4: m->flags = (*a == *b) | (*a >= *b) << 1; break;
    }
}

// function: fresh_name -> next_identifier
// kind: moved function, renamed function, global accumulator
// witness: { fresh_name(1); fresh_name(0); return fresh_name(0); }
// try: { show(fresh_name((int)(r & 1))); show(names_given()); }
//- old
static unsigned counter = 40;

unsigned names_given(void)
{
    return counter - 40;
}

unsigned fresh_name(int hidden)
{
    unsigned name = counter;

    counter = counter + 1;
    if (hidden)
        name = name | 0x10000;
    return name;
}
//- new
static unsigned counter = 40;

unsigned next_identifier(int hidden)
{
    unsigned flag = hidden ? 0x10000 : 0;

    return counter++ | flag;
}

unsigned names_given(void)
{
    return counter - 40;
}
//- broken
static unsigned counter = 40;

unsigned next_identifier(int hidden)
{
    if (hidden)
        return counter | 0x10000;
    return counter++;
}

unsigned names_given(void)
{
    return counter - 40;
}

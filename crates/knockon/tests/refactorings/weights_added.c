// function: weight
// kind: reversed loop
// witness: { unsigned short w[] = {100, 20, 3}; return weight(w, 3); }
// try: { unsigned short w[8]; for (int i = 0; i < 8; i++) w[i] = next(); show(weight(w, (int)(r & 7))); show(weight(w, -1)); }
//- old
unsigned weight(const unsigned short *weights, int count)
{
    unsigned sum = 0;

    for (int i = 0; i < count; i++)
        sum += weights[i];
    return sum;
}
//- new
unsigned weight(const unsigned short *weights, int count)
{
    unsigned sum = 0;

    while (count > 0)
        sum += weights[--count];
    return sum;
}
//- broken
unsigned weight(const unsigned short *weights, int count)
{
    unsigned sum = 0;

    while (count > 1)
        sum += weights[--count];
    return sum;
}

// function: fill_offsets
// kind: strength reduction, reordered statements
// witness: { unsigned o[3]; fill_offsets(o, 3, 100); return o[0] * 1000 + o[2]; }
// try: { unsigned o[8] = {0}; fill_offsets(o, r & 7, (unsigned)(r >> 32)); for (int i = 0; i < 8; i++) show(o[i]); }
//- old
void fill_offsets(unsigned *offsets, unsigned count, unsigned start)
{
    for (unsigned i = 0; i < count; i++)
        offsets[i] = start + i * 24;
}
//- new
void fill_offsets(unsigned *offsets, unsigned count, unsigned start)
{
    unsigned place = start, i = 0;

    while (i != count) {
        offsets[i++] = place;
        place += 24;
    }
}
//- broken
void fill_offsets(unsigned *offsets, unsigned count, unsigned start)
{
    unsigned place = start, i = 0;

    while (i != count) {
        place += 24;
        offsets[i++] = place;
    }
}

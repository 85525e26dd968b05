// function: distance_squared
// kind: common subexpression, inline variable
// witness: distance_squared(3, 4, 1, 9)
// try: { show(distance_squared((unsigned)r, (unsigned)(r >> 16), (unsigned)(r >> 32), (unsigned)(r >> 48))); }
//- old
unsigned distance_squared(unsigned x1, unsigned y1, unsigned x2, unsigned y2)
{
    return (x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2);
}
//- new
unsigned distance_squared(unsigned x1, unsigned y1, unsigned x2, unsigned y2)
{
    unsigned dx = x2 - x1, dy = y1 - y2;

    dx *= dx;
    return dy * dy + dx;
}
//- broken
unsigned distance_squared(unsigned x1, unsigned y1, unsigned x2, unsigned y2)
{
    unsigned dx = x1 - x2, dy = y1 - y2;

    dx *= dx;
    return dx * dy + dx;
}

// function: divisor
// kind: recursion to loop
// witness: divisor(7, 1)
// try: { show(divisor((unsigned)r, (unsigned)(r >> 32))); show(divisor(r % 60, r / 64 % 60)); }
//- old
unsigned divisor(unsigned a, unsigned b)
{
    if (b == 0)
        return a;
    return divisor(b, a % b);
}
//- new
unsigned divisor(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
//- broken
unsigned divisor(unsigned a, unsigned b)
{
    while (b > 1) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// function: swap_bytes
// kind: bit trick, reordered statements
// witness: { unsigned char x = 7; swap_bytes(&x, &x); return x; }
// try: { unsigned char x = r, y = r >> 8; swap_bytes(&x, &y); show(x); show(y); swap_bytes(&x, &x); show(x); }
//- old
void swap_bytes(unsigned char *a, unsigned char *b)
{
    unsigned char kept = *a;

    *a = *b;
    *b = kept;
}
//- new
void swap_bytes(unsigned char *a, unsigned char *b)
{
    unsigned char first = *a, second = *b;

    *b = first;
    *a = second;
}
//- broken
void swap_bytes(unsigned char *a, unsigned char *b)
{
    *a ^= *b;
    *b ^= *a;
    *a ^= *b;
}

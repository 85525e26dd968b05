// function: area
// kind: inline variable, inline constant
// broken-by: undefined
// witness: area(65536, 65536)
// try: { show(area((int)(r & 0xfffff), (int)(r >> 32 & 0xfffff))); show(area(-1, 3)); }
//- old
#define BORDER 2

long area(int width, int height)
{
    long columns = (long)width + BORDER, rows = (long)height + BORDER;

    if (width < 0 || height < 0)
        return 0;
    return columns * rows;
}
//- new
long area(int width, int height)
{
    if (width < 0 || height < 0)
        return 0;
    return (width + 2L) * (height + 2L);
}
//- broken
long area(int width, int height)
{
    if (width < 0 || height < 0)
        return 0;
    return (width + 2) * (height + 2);
}

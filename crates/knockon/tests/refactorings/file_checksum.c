// function: sum_blocks
// kind: dead code, external calls
// after: zlib e61ff99 (a total that nobody reads goes)
// witness: sum_blocks(3)
// try: { show(sum_blocks(r & 7)); }
//- old
extern unsigned read_block(unsigned number);

unsigned sum_blocks(unsigned last)
{
    unsigned sum = 0, size, total = 0, number = 0;

    do {
        size = read_block(number++);
        if (size > 0)
            sum = (sum << 3 | sum >> 29) ^ size;
        total += size;
    } while (number <= last && size > 0);
    (void)total;
    return sum;
}
//- new
extern unsigned read_block(unsigned number);

unsigned sum_blocks(unsigned last)
{
    unsigned sum = 0, size, number = 0;

    do {
        size = read_block(number++);
        if (size > 0)
            sum = (sum << 3 | sum >> 29) ^ size;
    } while (number <= last && size > 0);
    return sum;
}
//- broken
extern unsigned read_block(unsigned number);

unsigned sum_blocks(unsigned last)
{
    unsigned sum = 0, size, number = 0;

    do {
        size = read_block(number++);
        sum = (sum << 3 | sum >> 29) ^ size;
    } while (number <= last && size > 0);
    return sum;
}
//- world
unsigned read_block(unsigned number) { printf("read %u\n", number); return number < 2 ? 100 + number : 0; }

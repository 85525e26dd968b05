// function: is_block_size
// kind: bit trick, truth value
// rare: only zero
// witness: is_block_size(0)
// try: { show(is_block_size((unsigned)r)); show(is_block_size(1u << (r >> 32 & 31))); show(is_block_size(3u << (r >> 40 & 31))); }
//- old
int is_block_size(unsigned size)
{
    int ones = 0;

    for (int i = 0; i < 32; i++)
        if (size & 1u << i)
            ones++;
    return ones == 1;
}
//- new
int is_block_size(unsigned size)
{
    return size != 0 && (size & (size - 1)) == 0;
}
//- broken
int is_block_size(unsigned size)
{
    return !(size & (size - 1));
}

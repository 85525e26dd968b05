// function: is_directory
// kind: truth value, inline variable
// witness: is_directory(0x4000)
// try: { show(is_directory((unsigned)r)); }
//- old
unsigned char is_directory(unsigned mode)
{
    unsigned bits = mode & 0x4000;

    if (bits)
        return 1;
    return 0;
}
//- new
unsigned char is_directory(unsigned mode)
{
    return (mode & 0x4000) != 0;
}
//- broken
unsigned char is_directory(unsigned mode)
{
    return mode & 0x4000;
}

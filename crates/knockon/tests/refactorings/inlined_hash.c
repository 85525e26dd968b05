// function: bucket_of
// kind: inline function
// after: tinyvm caf4767 (the hash function is inlined into its only user)
// witness: bucket_of("", 7)
// try: { char key[12]; fill_text(key, 12, "abcxyz"); show(bucket_of(key, 1 + r % 61)); }
//- old
static unsigned hash(const char *key)
{
    unsigned h = 5381;

    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h;
}

unsigned bucket_of(const char *key, unsigned size)
{
    return hash(key) % size;
}
//- new
unsigned bucket_of(const char *key, unsigned size)
{
    unsigned h = 5381;

    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h % size;
}
//- broken
unsigned bucket_of(const char *key, unsigned size)
{
    unsigned h = 5381;

    while (*key)
        h = (h * 33 + (unsigned char)*key++) % size;
    return h;
}

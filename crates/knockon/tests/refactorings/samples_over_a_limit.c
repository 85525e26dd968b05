// function: judge_samples
// kind: split loop
// witness: { unsigned char s[] = {9, 200, 7}; return judge_samples(s, 3, 100); }
// try: { unsigned char s[8]; for (int i = 0; i < 8; i++) s[i] = next(); show(judge_samples(s, (unsigned)(r & 7), r >> 8 & 255)); }
//- old
unsigned judge_samples(const unsigned char *samples, unsigned count, unsigned limit)
{
    unsigned sum = 0, over = 0;

    for (unsigned i = 0; i < count; i++) {
        sum += samples[i];
        if (samples[i] > limit)
            over++;
    }
    return sum * 16 + over;
}
//- new
unsigned judge_samples(const unsigned char *samples, unsigned count, unsigned limit)
{
    unsigned sum = 0, over = 0;

    for (unsigned i = 0; i < count; i++)
        sum += samples[i];
    for (unsigned i = 0; i < count; i++)
        over += samples[i] > limit;
    return (sum << 4) + over;
}
//- broken
unsigned judge_samples(const unsigned char *samples, unsigned count, unsigned limit)
{
    unsigned sum = 0, over = 0;

    for (unsigned i = 0; i < count; i++)
        sum += samples[i];
    for (unsigned i = 0; i < count; i++)
        over += sum > limit;
    return (sum << 4) + over;
}

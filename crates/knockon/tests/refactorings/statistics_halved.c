// function: age_statistics
// kind: split loop, strength reduction
// witness: { counts[7] = 9; totals[7] = 9; age_statistics(); return counts[7] * 100 + totals[7]; }
// try: { for (int i = 0; i < 8; i++) { counts[i] = (unsigned)next(); totals[i] = (unsigned)next(); } age_statistics();
//   for (int i = 0; i < 8; i++) { show(counts[i]); show(totals[i]); } }
//- old
unsigned counts[8], totals[8];

void age_statistics(void)
{
    for (int i = 0; i < 8; i++) {
        counts[i] = counts[i] / 2;
        totals[i] = totals[i] / 4;
    }
}
//- new
unsigned counts[8], totals[8];

void age_statistics(void)
{
    for (int i = 0; i < 8; i++)
        counts[i] >>= 1;
    for (int i = 0; i < 8; i++)
        totals[i] >>= 2;
}
//- broken
unsigned counts[8], totals[8];

void age_statistics(void)
{
    for (int i = 0; i < 8; i++)
        counts[i] >>= 1;
    for (int i = 0; i < 7; i++)
        totals[i] >>= 2;
}

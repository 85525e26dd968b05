// function: flatten
// kind: fused loops, strength reduction
// witness: { grid[1][1] = 5; flatten(); return row[5]; }
// try: { for (int y = 0; y < 3; y++) for (int x = 0; x < 4; x++) grid[y][x] = next(); flatten(); for (int i = 0; i < 12; i++) show(row[i]); }
//- old
unsigned char grid[3][4], row[12];

void flatten(void)
{
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            row[y * 4 + x] = grid[y][x];
}
//- new
unsigned char grid[3][4], row[12];

void flatten(void)
{
    for (unsigned i = 0; i < 12; i++)
        row[i] = grid[i / 4][i % 4];
}
//- broken
unsigned char grid[3][4], row[12];

void flatten(void)
{
    for (unsigned i = 0; i < 12; i++)
        row[i] = grid[i % 3][i % 4];
}

// function: draw_bars
// kind: extract variable, external calls
// after: histo c723a4 (the width of a bar gets a name)
// witness: { unsigned char heights[] = {2}; draw_bars(heights, 1, 9); return 0; }
// try: { unsigned char heights[4] = {r & 3, r >> 8 & 3, r >> 16 & 3, r >> 24 & 3};
//   draw_bars(heights, r >> 32 & 3, r >> 40 & 63); }
//- old
extern void move_cursor(int column, int row);
extern void draw_block(int colour);

void draw_bars(const unsigned char *heights, int count, int top)
{
    for (int i = 0; i < count; i++) {
        int y = heights[i];
        while (y--) {
            move_cursor(i * 5 + 3, top - y);
            draw_block(' ');
        }
    }
}
//- new
extern void move_cursor(int column, int row);
extern void draw_block(int colour);

void draw_bars(const unsigned char *heights, int count, int top)
{
    int bar_width = 5;

    for (int i = 0; i < count; i++) {
        int y = heights[i];
        while (y--) {
            move_cursor(i * bar_width + 3, top - y);
            draw_block(' ');
        }
    }
}
//- broken
extern void move_cursor(int column, int row);
extern void draw_block(int colour);

void draw_bars(const unsigned char *heights, int count, int top)
{
    int bar_width = 5;

    for (int i = 0; i < count; i++) {
        int y = heights[i];
        while (y--) {
            move_cursor(i * (bar_width + 3), top - y);
            draw_block(' ');
        }
    }
}
//- world
void move_cursor(int column, int row) { printf("at %d %d\n", column, row); }
void draw_block(int colour) { printf("block %d\n", colour); }

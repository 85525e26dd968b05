// function: split_words
// kind: extract constant
// after: tinyvm 67f53ad (a repeated number becomes a define)
// witness: split_words("a b c d e")
// try: { char line[24]; fill_text(line, 24, "ab  "); show(split_words(line)); show(word_starts[r & 3]); }
//- old
int word_starts[4];

int split_words(const char *line)
{
    int count = 0, inside = 0;

    for (int i = 0; i < 4; i++)
        word_starts[i] = -1;
    for (int i = 0; line[i]; i++) {
        if (line[i] != ' ' && !inside) {
            if (count == 4)
                break;
            word_starts[count++] = i;
        }
        inside = line[i] != ' ';
    }
    return count;
}
//- new
#define MAX_WORDS 4

int word_starts[MAX_WORDS];

int split_words(const char *line)
{
    int count = 0, inside = 0;

    for (int i = 0; i < MAX_WORDS; i++)
        word_starts[i] = -1;
    for (int i = 0; line[i]; i++) {
        if (line[i] != ' ' && !inside) {
            if (count == MAX_WORDS)
                break;
            word_starts[count++] = i;
        }
        inside = line[i] != ' ';
    }
    return count;
}
//- broken
#define MAX_WORDS 4

int word_starts[MAX_WORDS];

int split_words(const char *line)
{
    int count = 0, inside = 0;

    for (int i = 0; i < MAX_WORDS; i++)
        word_starts[i] = -1;
    for (int i = 0; line[i]; i++) {
        if (line[i] != ' ' && !inside) {
            if (count == MAX_WORDS - 1)
                break;
            word_starts[count++] = i;
        }
        inside = line[i] != ' ';
    }
    return count;
}

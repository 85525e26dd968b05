// function: parse_option
// kind: early return, branch inversion
// witness: { verbose = 0; parse_option("-vq"); return verbose * 10 + quiet; }
// try: { const char *options[] = {"-v", "-q", "-vq", "", "-", "--", "v", "-x"}; show(parse_option(options[r & 7])); show(verbose); show(quiet); }
//- old
int verbose, quiet;

int parse_option(const char *text)
{
    int known = 0;

    if (text[0] == '-') {
        if (text[1] != '\0' && text[2] == '\0') {
            if (text[1] == 'v') {
                verbose++;
                known = 1;
            } else if (text[1] == 'q') {
                quiet = 1;
                known = 1;
            }
        }
    }
    return known;
}
//- new
int verbose, quiet;

int parse_option(const char *text)
{
    if (text[0] != '-' || text[1] == '\0' || text[2] != '\0')
        return 0;
    switch (text[1]) {
    case 'q':
        quiet = 1;
        return 1;
    case 'v':
        verbose++;
        return 1;
    }
    return 0;
}
//- broken
int verbose, quiet;

int parse_option(const char *text)
{
    if (text[0] != '-' || text[1] == '\0')
        return 0;
    switch (text[1]) {
    case 'q':
        quiet = 1;
        return 1;
    case 'v':
        verbose++;
        return 1;
    }
    return 0;
}

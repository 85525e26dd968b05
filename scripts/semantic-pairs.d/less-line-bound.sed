# less position.c
# branch inversion: not positive becomes less than one
/^sindex_from_sline/,/^}/s/sline <= 0/sline < 1/

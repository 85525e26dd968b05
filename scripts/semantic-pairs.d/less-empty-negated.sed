# less position.c
# De Morgan: the test for an empty line is negated twice
/^empty_lines/,/^}/s/if \((table\[i\]) != (.*) && table\[i\] != 0\)/if (!(\1 == \2 || \1 == 0))/

# less linenum.c
# strength reduction: a remainder becomes a mask
/^scan_eof/,/^}/s/% 256\)/\& 255)/

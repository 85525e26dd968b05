# less linenum.c
# loop form: a pointer runs until it is equal to the end
/^clr_linenum/,/^}/s/p < (&pool\[NPOOL-2\])/p != \1/

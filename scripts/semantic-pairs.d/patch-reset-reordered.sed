# patch src/pch.c
# reordered statements: two of the counters are reset in another order
/^re_patch/,/^}/{
  /p_first = 0/d
  s/^( *)p_max = 0;/\1p_max = 0;\n\1p_first = 0;/
}

# less position.c
# loop form: the index of the loop is one less
/^add_forw_pos/,/^}/{
  s/i = 1;  i < sc_height;/i = 0;  i < sc_height - 1;/
  s/table\[i-1\] = table\[i\]/table[i] = table[i+1]/
}

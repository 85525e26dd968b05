# less line.c
# reordered statements: two independent additions change places
/^attr_ewidth/,/^}/{
  s/AT_UNDERLINE/AT_SECOND/;s/ul_e_width/second_e_width/
  s/AT_BOLD/AT_UNDERLINE/;s/bo_e_width/ul_e_width/
  s/AT_SECOND/AT_BOLD/;s/second_e_width/bo_e_width/
}

# less line.c
# conditional expression: the first addition becomes the first value
/^attr_swidth/,/^}/{
  /if \(a & AT_UNDERLINE\)/d
  s/w \+= ul_s_width/w = (a \& AT_UNDERLINE) ? ul_s_width : 0/
}

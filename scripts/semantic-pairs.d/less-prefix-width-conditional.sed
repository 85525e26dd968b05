# less line.c
# conditional expression: a conditional addition becomes a conditional value
/^line_pfx_width/,/^}/{
  /if \(status_col\)/d
  s/width \+= status_col_width/width = status_col ? status_col_width : 0/
}

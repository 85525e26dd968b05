# less cvt.c
# conditional expression: a conditional product becomes a conditional value
/^cvt_length/,/^}/{
  /if \(utf_mode\)/d
  s/len \*= 4;/len = utf_mode ? len * 4 : len;/
}

# screen misc.c
# extract variable: the usable width gets a name
/^centerline\(/,/^}/{
  s/int l, n;/int l, n, width;/
  s/^( *)(n = strlen\(str\);)/\1\2\n\1width = flayer->l_width - 1;/
  s/n > flayer->l_width - 1/n > width/
  s/n = flayer->l_width - 1;/n = width;/
  s/\(flayer->l_width - 1 - n\)/(width - n)/
}

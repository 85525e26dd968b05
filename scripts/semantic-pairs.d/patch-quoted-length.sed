# patch src/util.c
# extract variable: the size with the terminator gets a name
/^quote_system_arg/,/^}/{
  s/^( *)(size_t len = .*)/\1\2\n\1size_t size = len + 1;/
  s/q, len \+ 1\)/q, size)/
}

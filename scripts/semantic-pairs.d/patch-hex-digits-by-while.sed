# patch src/pch.c
# loop form: an empty for loop becomes a while loop
/^skip_hex_digits/,/^}/{
  s/char const \*s;/char const *s = str;/
  s/for \(s = str; (.*); s\+\+\)/while (\1)/
  s/.*do nothing.*/    s++;/
}

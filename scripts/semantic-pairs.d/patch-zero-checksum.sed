# patch src/pch.c
# loop form: the search for another digit leaves by its condition
/^sha1_says_nonexistent/,/^}/{
  s/for \(s = sha1; \*s; s\+\+\)/for (s = sha1; *s == '0'; s++)/
  /if \(\*s != '0'\)/{
    N
    s/.*/    continue;/
  }
}

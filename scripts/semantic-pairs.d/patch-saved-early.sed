# patch src/util.c
# early return: a copy that succeeded returns at once
/^savebuf/,/^}/{
  s/^  if \(! rv\)$/  if (rv)\n    return memcpy (rv, s, size);/
  s/^( *)if \(! using_plan_a\)/\1if (! using_plan_a)/
  /^  else$/{
    N
    d
  }
}

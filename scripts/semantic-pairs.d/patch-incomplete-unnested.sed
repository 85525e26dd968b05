# patch src/pch.c
# early return: an else after a return goes
/^incomplete_line/,/^}/{
  /^  else$/,/^    }/{
    /^  else$/d
    /^    [{}]$/d
  }
}

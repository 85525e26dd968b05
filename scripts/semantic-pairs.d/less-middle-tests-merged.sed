# less line.c
# nested conditions: two tests with one outcome become one
/^is_ansi_middle/,/^}/{
  s/if \((!is_ascii_char\(ch\))\)/if (\1 || is_ansi_end(ch))/
  /if \(is_ansi_end\(ch\)\)/{
    N
    d
  }
}

# jq src/jv.c
# early return: the failing index returns first
/^static jv\* jvp_array_read/,/^}/{
  s/if \(i >= 0 && i < jvp_array_length\(a\)\) \{/if (i < 0 || i >= jvp_array_length(a))\n    return 0;\n  {/
  s/^  \} else \{/  }/
  /^    return 0;$/{
    N
    d
  }
}

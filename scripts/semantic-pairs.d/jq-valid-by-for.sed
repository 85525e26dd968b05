# jq src/jv_unicode.c
# loop form: the assignment leaves the condition
/^int jvp_utf8_is_valid/,/^}/{
  s/while \(\((in = .*)\)\) \{/for (\1; in; \1) {/
}

# jq src/jv.c
# conditional expression: a branch over two values becomes an operator
/^jv jv_array_get/,/^}/{
  s/^( *)jv val;/\1jv val = slot ? jv_copy(*slot) : jv_invalid();/
  /if \(slot\)/,/^  \}$/d
}

# jq src/jv.c
# conditional expression: a branch becomes a conditional operator
/^jv jv_invalid_get_msg/,/^}/{
  s/^( *)jv x;/\1jv x = inv.u.ptr ? jv_copy(((jvp_invalid*)inv.u.ptr)->errmsg) : jv_null();/
  /if \(inv\.u\.ptr == 0\)/,/errmsg\);$/d
}

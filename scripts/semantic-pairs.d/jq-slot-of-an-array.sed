# jq src/jv.c
# common subexpression: the sum of index and offset gets a name
/^static jv\* jvp_array_read/,/^}/{
  s/^( *)(jvp_array\* array = .*)/\1\2\n\1int place = i + jvp_array_offset(a);/
  s/assert\(i \+ jvp_array_offset\(a\)/assert(place/
  s/elements\[i \+ jvp_array_offset\(a\)\]/elements[place]/
}

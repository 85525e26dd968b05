# jq src/jv.c
# loop form: the elements are counted by a while loop
/^static void jvp_array_free/,/^}/{
  s/^( *)for \(int i=0; i<array->length; i\+\+\) \{/\1int i = 0;\n\1while (i < array->length) {/
  s/array->elements\[i\]\)/array->elements[i++])/
}

# jq src/jv.c
# strength reduction: a shift by one becomes a product
/^static jv jvp_string_new/,/^}/s/length << 1/length * 2/

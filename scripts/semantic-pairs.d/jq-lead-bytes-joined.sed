# jq src/jv_unicode.c
# bit trick: sums of disjoint bits become their union
/^int jvp_utf8_encode\(/,/^}/s/(0x[CEF8]0) \+ /\1 | /

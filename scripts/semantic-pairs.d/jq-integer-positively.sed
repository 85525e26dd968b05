# jq src/jv.c
# De Morgan: the range is tested positively
/^int jv_is_integer/,/^}/s/if\(x != x \|\| x > INT_MAX \|\| x < INT_MIN\)/if(!(x <= INT_MAX \&\& x >= INT_MIN))/

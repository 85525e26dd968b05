# patch src/pch.c
# conditional expression: the two results change places
/^skip_hex_digits/,/^}/s/s == str \? NULL : s/s != str ? s : NULL/

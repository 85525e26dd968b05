# less cvt.c
# reversed loop: the positions are marked from the end
/^cvt_alloc_chpos/,/^}/s/for \(i = 0;  i < len;  i\+\+\)/for (i = len - 1;  i >= 0;  i--)/

# screen misc.c
# pointer walk: the step of the pointer moves to the head of the loop
/^Filename\(/,/^}/{
  s/while \(\*p\)/for (; *p; p++)/
  s/if \(\*p\+\+ == '\/'\)/if (*p == '\/')/
  s/s = p;/s = p + 1;/
}

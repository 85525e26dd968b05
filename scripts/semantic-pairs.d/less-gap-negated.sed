# less linenum.c
# De Morgan: the test for the ends of the list is negated twice
/^calcgap/,/^}/s/if \(p == (&anchor) \|\| p->next == &anchor\)/if (!(p != \1 \&\& p->next != \1))/

# screen misc.c
# extract variable: the assignment leaves the condition
/^SaveStr\(str\)/,/^}/{
  s/register char \*cp;/register char *cp = malloc(strlen(str) + 1);/
  s/\(cp = malloc\(.*\)\) == NULL/cp == NULL/
}

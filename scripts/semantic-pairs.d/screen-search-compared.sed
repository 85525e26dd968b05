# screen misc.c
# truth value: a negation becomes a comparison with zero
/^InStr\(/,/^}/{
  s/for \(;\*str; str\+\+\)/for (; *str != 0; str += 1)/
  s/if \(!(strncmp\(.*\))\)/if (\1 == 0)/
}

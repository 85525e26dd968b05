# less linenum.c
# early return: an early return becomes a condition around the rest
/^abort_long/,/^}/{
  s/if \(loopcount >= 0\)/if (loopcount < 0)/
  s/^(\t*)return;/\1{/
  s/^(\terror\(.*\);)/\1\n\t}/
}

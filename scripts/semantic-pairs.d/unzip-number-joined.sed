# unzip fileio.c
# bit trick: sums of disjoint bytes become their union
/^ulg makelong\(sig\)/,/^}/s/^( *)\+ \(/\1| (/

# unzip crypt.c
# loop form: the walk over the password becomes a for loop
/^void init_keys/,/^}/{
  s/while \(\*passwd != '\\0'\)/for (; *passwd; passwd++)/
  /^ *passwd\+\+;$/d
}

# cjson cJSON.c
# branch inversion: the copy is made if there is memory
/^static unsigned char\* cJSON_strdup/,/^}/{
  /if \(copy == NULL\)/,/\}/d
  s/^( *)(memcpy\(.*)/\1if (copy != NULL)\n\1{\n\1    \2\n\1}/
}

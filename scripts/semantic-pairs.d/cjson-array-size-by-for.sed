# cjson cJSON.c
# loop form: the walk over the children becomes a for loop
/^CJSON_PUBLIC\(int\) cJSON_GetArraySize/,/^}/{
  s/while *\(child != NULL\)/for (; child != NULL; child = child->next)/
  /child = child->next;$/d
}

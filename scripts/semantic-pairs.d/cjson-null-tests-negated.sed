# cjson cJSON.c
# De Morgan: the test for null pointers is negated twice
/^static int case_insensitive_strcmp/,/^}/s/\((string1) == NULL\) \|\| \((string2) == NULL\)/!((\1 != NULL) \&\& (\2 != NULL))/

# cjson cJSON.c
# dead code: the counter is not set a second time
/^CJSON_PUBLIC\(cJSON \*\) cJSON_CreateIntArray/,/^}/s/for *\(i = 0; a && /for (; a != NULL \&\& /

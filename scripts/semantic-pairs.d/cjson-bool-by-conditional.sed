# cjson cJSON.c
# conditional expression: a comparison becomes a conditional operator
/^CJSON_PUBLIC\(cJSON_bool\) cJSON_IsBool/,/^}/s/return \((.*)\) != 0;/return (\1) ? true : false;/

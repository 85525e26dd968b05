# cjson cJSON.c
# extract variable: the digit that is looked at gets a name
/^static unsigned parse_hex4/,/^}/{
  s/input\[i\]/digit/g
  s/^( *).*parse digit.*/\1const unsigned char digit = input[i];/
}

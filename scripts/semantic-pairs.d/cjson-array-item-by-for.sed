# cjson cJSON.c
# loop form: the countdown moves into the head of the loop
/^static cJSON\* get_array_item/,/^}/{
  s/while \(.*index > 0.*/for (; current_child \&\& index != 0; index--)/
  /index--;$/d
}

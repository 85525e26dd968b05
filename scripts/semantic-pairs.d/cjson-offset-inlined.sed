# cjson cJSON.c
# inline variable: a pointer that is used once goes
/^static void update_offset/,/^}/{
  /buffer_pointer = /d
  s/\(const char\*\)buffer_pointer/(const char*)(buffer->buffer + buffer->offset)/
}

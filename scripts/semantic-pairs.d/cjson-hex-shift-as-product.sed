# cjson cJSON.c
# strength reduction: shifting by four becomes a product
/^static unsigned parse_hex4/,/^}/s/h = h << 4/h *= 16/

// function: parse_list
// kind: goto elimination, early return
// after: cJSON 99cd9af (several failure returns become one label)
// witness: { parse_list("[1,2x"); return errors; }
// try: { char text[14]; fill_text(text, 14, "[]1,,23"); text[0] = r & 7 ? '[' : '1'; show(parse_list(text)); show(errors); }
//- old
int errors;

int parse_list(const char *value)
{
    int sum = 0;

    if (*value != '[') {
        errors++;
        return -1;
    }
    do {
        value++;
        if (*value < '0' || *value > '9') {
            errors++;
            return -1;
        }
        sum += *value++ - '0';
    } while (*value == ',');
    if (*value != ']') {
        errors++;
        return -1;
    }
    return sum;
}
//- new
int errors;

int parse_list(const char *value)
{
    int sum = 0;

    if (*value != '[')
        goto fail;
    do {
        value++;
        if (*value < '0' || *value > '9')
            goto fail;
        sum += *value++ - '0';
    } while (*value == ',');
    if (*value == ']')
        return sum;
fail:
    errors++;
    return -1;
}
//- broken
int errors;

int parse_list(const char *value)
{
    int sum = 0;

    if (*value != '[')
        goto fail;
    do {
        value++;
        if (*value < '0' || *value > '9')
            goto fail;
        sum += *value++ - '0';
    } while (*value == ',');
    if (*value == ']')
        return sum;
    return -1;
fail:
    errors++;
    return -1;
}

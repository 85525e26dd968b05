//! Texts: the string, character and formatting functions of the library.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "copying",
        includes: &["string.h"],
        definitions: "",
        body: r#"
char one#[40] = "start";
char two#[16];
strcpy(two#, $5);
strncpy(one# + 5, two#, 20);
one#[25] = 0;
strcat(one#, "-");
strncat(one#, "abcdefgh", (size_t)$2);
printf("copied %s %zu\n", one#, strlen(one#));
memmove(one# + 1, one#, 8);
one#[39] = '\0';
char *found# = strchr(one#, 'a');
printf("found %ld\n", found# ? (long)(found# - one#) : -1L);
found# = strrchr(one#, 's');
if (found# != NULL) {
    puts(found#);
}
found# = strstr(one#, "ar");
mix((unsigned long long)(found# ? found# - one# : 77));
mix((unsigned long long)strspn(one#, "stra"));
mix((unsigned long long)strcspn(one#, "-"));
"#,
        work: 900,
    },
    Idiom {
        name: "comparing",
        includes: &["string.h"],
        definitions: r#"
static int sign(int value) {
    return (value > 0) - (value < 0);
}
"#,
        body: r#"
char left#[12] = $5;
char right#[12] = "middle";
right#[$2 % 6] = (char)('a' + $3);
printf("compare %d %d %d\n", sign(strcmp(left#, right#)), sign(strncmp(left#, right#, (size_t)$2)), sign(memcmp(left#, right#, 6)));
memset(left# + 2, 'z', 4);
mix((unsigned long long)left#[$2 % 12]);
void *seen# = memchr(right#, 'd', sizeof(right#));
mix((unsigned long long)(seen# != 0));
"#,
        work: 500,
    },
    Idiom {
        name: "numbers",
        includes: &["stdlib.h", "string.h"],
        definitions: "",
        body: r#"
char digits#[64];
int wrote# = sprintf(digits#, "%d,%x,%ld", $0, (unsigned)$1, (long)$2);
printf("wrote %d %s\n", wrote#, digits#);
char *rest# = NULL;
long first# = strtol(digits#, &rest#, 10);
mix((unsigned long long)first#);
mix((unsigned long long)(rest# - digits#));
if (*rest# == ',') {
    unsigned long second# = strtoul(rest# + 1, &rest#, 16);
    mix(second#);
}
mix((unsigned long long)atoi(rest# + 1));
mix((unsigned long long)strtol("  0x1fz", NULL, 0));
mix((unsigned long long)atol("-77"));
"#,
        work: 900,
    },
    Idiom {
        name: "bounded",
        includes: &["string.h"],
        definitions: "",
        body: r#"
char narrow#[8];
int needed# = snprintf(narrow#, sizeof(narrow#), "%s/%d", $5, $2);
printf("needed %d got %s\n", needed#, narrow#);
needed# = snprintf(NULL, 0, "%5.2f|%-5d|", $2 / 4.0, $0);
mix((unsigned long long)needed#);
"#,
        work: 400,
    },
    Idiom {
        name: "letters",
        includes: &["ctype.h", "string.h"],
        definitions: r#"
static unsigned count_words(const char *text) {
    unsigned words = 0;
    int inside = 0;
    for (; *text; text++) {
        if (isspace((unsigned char)*text)) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
    }
    return words;
}
"#,
        body: r#"
char text#[32] = "The Quick brown ";
strcat(text#, $5);
printf("words %u\n", count_words(text#));
for (char *at# = text#; *at#; ++at#) {
    *at# = (char)(isupper((unsigned char)*at#) ? tolower((unsigned char)*at#) : toupper((unsigned char)*at#));
}
puts(text#);
int histogram#[4] = {0};
for (size_t i# = 0; text#[i#] != '\0'; i#++) {
    histogram#[isdigit((unsigned char)text#[i#]) ? 0 : isalpha((unsigned char)text#[i#]) ? 1 : ispunct((unsigned char)text#[i#]) ? 2 : 3] += 1;
}
printf("histogram %d %d %d %d\n", histogram#[0], histogram#[1], histogram#[2], histogram#[3]);
"#,
        work: 1200,
    },
    Idiom {
        name: "scanning",
        includes: &[],
        definitions: "",
        body: r#"
int number# = -1;
unsigned code# = 7;
char name#[12] = "none";
int fields# = sscanf("42 beef tail", "%d %x %11s", &number#, &code#, name#);
printf("fields %d %d %u %s\n", fields#, number#, code#, name#);
char line#[32];
sprintf(line#, "%d:%d", $0, $2);
int left# = 0;
int right# = 0;
mix((unsigned long long)sscanf(line#, "%d:%d", &left#, &right#));
mix((unsigned long long)left#);
mix((unsigned long long)right#);
"#,
        work: 900,
    },
    Idiom {
        name: "reversing",
        includes: &["string.h"],
        definitions: r#"
static void reverse_text(char *first, char *last) {
    while (first < last) {
        char kept = *first;
        *first++ = *last;
        *last-- = kept;
    }
}
"#,
        body: r#"
char text#[] = "reverse me";
reverse_text(text# + $2 % 4, text# + 4 + $3 % 5);
fputs(text#, stdout);
putchar('\n');
fwrite(text#, 1, 3, stdout);
fputc('!', stdout);
fprintf(stdout, "%c%s\n", text#[0], &text#[5]);
fprintf(stderr, "reversed %d\n", $0);
"#,
        work: 500,
    },
    Idiom {
        name: "formats",
        includes: &[],
        definitions: "",
        body: r#"
printf("%5d|%-5d|%05d|%+d|% d|%x|%#x|%#o|%X\n", $0, $1, $2, $3, $2, (unsigned)$0, (unsigned)$1, (unsigned)$2, (unsigned)$3);
printf("%*d|%-*d|%.*s|%.5d|%8.3d|%%\n", $2, $0, $3, $1, $2, "precision", $2, $3);
printf("%hhd %hu %ld %lld %zu\n", (signed char)$0, (unsigned short)$1, (long)$0, (long long)$1, sizeof(int));
printf("%f %.2f %e %g %10.3f|%-10.1f|%+.0f\n", $2 / 3.0, $0 / 7.0, $1 * 1e10, $0 * 1e-7, $2 / 8.0, $3 / 16.0, $3 / 2.0);
"#,
        work: 900,
    },
];

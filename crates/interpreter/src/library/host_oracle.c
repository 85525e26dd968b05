/* The host's C library as an oracle: one request a line on stdin, one answer a line on stdout.
 * Bytes travel as hexadecimal text, `-` stands for no bytes.
 *
 *   printf FORMAT INTEGER*3 DOUBLE*3 LONGDOUBLE*2     an integer is a number, or `s` and bytes
 *   scanf INPUT FORMAT
 *   real TEXT
 *   integer BASE TEXT
 *   random SEED COUNT
 *   error NUMBER
 *   characters
 *   mathematics FUNCTION BITS BITS
 *   single FUNCTION BITS BITS
 *   time SECONDS FORMAT
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char line[1 << 20];

static char *word(void) {
    return strtok(NULL, " \n");
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t decode(const char *text, unsigned char *into) {
    size_t length = 0;
    for (; digit(text[0]) >= 0 && digit(text[1]) >= 0; text += 2)
        into[length++] = (unsigned char)(digit(text[0]) * 16 + digit(text[1]));
    return length;
}

static void answer(const void *bytes, size_t length) {
    const unsigned char *at = bytes;
    if (length == 0)
        putchar('-');
    for (size_t i = 0; i < length; i++) {
        putchar("0123456789abcdef"[at[i] >> 4]);
        putchar("0123456789abcdef"[at[i] & 15]);
    }
}

static void answer_print(void) {
    static unsigned char format[1 << 16], strings[3][1 << 12], output[1 << 20];
    uint64_t integers[3];
    double doubles[3];
    long double extended[2];
    format[decode(word(), format)] = 0;
    for (int i = 0; i < 3; i++) {
        char *text = word();
        if (*text == 's') {
            strings[i][decode(text + 1, strings[i])] = 0;
            integers[i] = (uint64_t)(uintptr_t)strings[i];
        } else {
            integers[i] = strtoull(text, NULL, 16);
        }
    }
    for (int i = 0; i < 3; i++) {
        uint64_t bits = strtoull(word(), NULL, 16);
        memcpy(&doubles[i], &bits, 8);
    }
    for (int i = 0; i < 2; i++) {
        unsigned char bytes[16] = {0};
        decode(word(), bytes);
        memcpy(&extended[i], bytes, 16);
    }
    errno = 2;
    /* Integer, floating-point and stack arguments are numbered apart by the System V ABI, so this one
     * call serves every order of conversions. */
    int length = snprintf((char *)output, sizeof output, (char *)format, integers[0], integers[1],
                          integers[2], doubles[0], doubles[1], doubles[2], extended[0], extended[1]);
    printf("%d ", length);
    answer(output, length < 0 ? 0 : (size_t)length);
}

static void answer_scan(void) {
    static unsigned char input[1 << 16], format[1 << 16], targets[4][64];
    size_t length = decode(word(), input);
    format[decode(word(), format)] = 0;
    memset(targets, 0xaa, sizeof targets);
    FILE *stream = length ? fmemopen(input, length, "r") : fopen("/dev/null", "r");
    int count = fscanf(stream, (char *)format, targets[0], targets[1], targets[2], targets[3]);
    int left = 0;
    while (fgetc(stream) != EOF)
        left++;
    fclose(stream);
    printf("%d %d ", count, left);
    answer(targets, sizeof targets);
}

static void answer_real(void) {
    static char text[1 << 16];
    unsigned char bytes[16] = {0};
    char *end;
    text[decode(word(), (unsigned char *)text)] = 0;
    errno = 0;
    float single = strtof(text, &end);
    answer(&single, 4);
    printf(" %d %d ", (int)(end - text), errno);
    errno = 0;
    double value = strtod(text, &end);
    answer(&value, 8);
    printf(" %d %d ", (int)(end - text), errno);
    errno = 0;
    long double extended = strtold(text, &end);
    memcpy(bytes, &extended, 10);
    answer(bytes, 10);
    printf(" %d %d", (int)(end - text), errno);
}

static void answer_integer(void) {
    static char text[1 << 16];
    char *end;
    int base = atoi(word());
    text[decode(word(), (unsigned char *)text)] = 0;
    errno = 0;
    long value = strtol(text, &end, base);
    printf("%lx %d %d ", (unsigned long)value, (int)(end - text), errno);
    errno = 0;
    unsigned long magnitude = strtoul(text, &end, base);
    printf("%lx %d %d", magnitude, (int)(end - text), errno);
}

static void answer_random(void) {
    unsigned seed = (unsigned)strtoul(word(), NULL, 10);
    int count = atoi(word());
    unsigned state = seed;
    srand(seed);
    srand48(seed);
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        int number = rand(), small = rand_r(&state);
        long positive = lrand48(), any = mrand48();
        double fraction = drand48();
        memcpy(&bits, &fraction, 8);
        printf("%d %d %ld %ld %lx ", number, small, positive, any, bits);
    }
}

static void answer_error(void) {
    const char *text = strerror(atoi(word()));
    answer(text, strlen(text));
}

static void answer_characters(void) {
    answer(*__ctype_b_loc() - 128, 384 * sizeof(unsigned short));
    putchar(' ');
    answer(*__ctype_tolower_loc() - 128, 384 * sizeof(int));
    putchar(' ');
    answer(*__ctype_toupper_loc() - 128, 384 * sizeof(int));
}

typedef double (*unary)(double);
typedef double (*binary)(double, double);

static const struct { const char *name; unary function; } unaries[] = {
#define UNARY(name) {#name, name}
    UNARY(sin), UNARY(cos), UNARY(tan), UNARY(asin), UNARY(acos), UNARY(atan), UNARY(sinh),
    UNARY(cosh), UNARY(tanh), UNARY(asinh), UNARY(acosh), UNARY(atanh), UNARY(exp), UNARY(exp2),
    UNARY(expm1), UNARY(log), UNARY(log2), UNARY(log10), UNARY(log1p), UNARY(sqrt), UNARY(cbrt),
    UNARY(fabs), UNARY(floor), UNARY(ceil), UNARY(trunc), UNARY(round), UNARY(rint),
    UNARY(nearbyint), UNARY(logb),
};
static const struct { const char *name; binary function; } binaries[] = {
#define BINARY(name) {#name, name}
    BINARY(pow), BINARY(atan2), BINARY(fmod), BINARY(hypot), BINARY(fmin), BINARY(fmax),
    BINARY(fdim), BINARY(copysign), BINARY(nextafter), BINARY(remainder),
};

typedef float (*unary_single)(float);
typedef float (*binary_single)(float, float);

static const struct { const char *name; unary_single function; } single_unaries[] = {
    UNARY(sinf), UNARY(cosf), UNARY(tanf), UNARY(asinf), UNARY(acosf), UNARY(atanf), UNARY(sinhf),
    UNARY(coshf), UNARY(tanhf), UNARY(expf), UNARY(exp2f), UNARY(expm1f), UNARY(logf), UNARY(log2f),
    UNARY(log10f), UNARY(log1pf), UNARY(sqrtf), UNARY(fabsf), UNARY(floorf), UNARY(ceilf),
    UNARY(truncf), UNARY(roundf), UNARY(rintf),
};
static const struct { const char *name; binary_single function; } single_binaries[] = {
    BINARY(powf), BINARY(atan2f), BINARY(fmodf), BINARY(hypotf), BINARY(fminf), BINARY(fmaxf),
    BINARY(fdimf), BINARY(copysignf),
};

static void answer_single(void) {
    char *name = word();
    uint32_t bits[2] = {strtoul(word(), NULL, 16), strtoul(word(), NULL, 16)};
    float arguments[2], result = 0;
    memcpy(arguments, bits, sizeof arguments);
    for (size_t i = 0; i < sizeof single_unaries / sizeof *single_unaries; i++)
        if (!strcmp(name, single_unaries[i].name))
            result = single_unaries[i].function(arguments[0]);
    for (size_t i = 0; i < sizeof single_binaries / sizeof *single_binaries; i++)
        if (!strcmp(name, single_binaries[i].name))
            result = single_binaries[i].function(arguments[0], arguments[1]);
    memcpy(bits, &result, 4);
    if (result != result)
        printf("nan");
    else
        printf("%x", bits[0]);
}

static void answer_mathematics(void) {
    char *name = word();
    uint64_t bits[2] = {strtoull(word(), NULL, 16), strtoull(word(), NULL, 16)};
    double arguments[2], result = 0;
    memcpy(arguments, bits, sizeof arguments);
    errno = 0;
    for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++)
        if (!strcmp(name, unaries[i].name))
            result = unaries[i].function(arguments[0]);
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (!strcmp(name, binaries[i].name))
            result = binaries[i].function(arguments[0], arguments[1]);
    if (!strcmp(name, "ldexp"))
        result = ldexp(arguments[0], (int)bits[1]);
    int error = errno;
    if (result != result)
        printf("nan %d", error);
    else {
        memcpy(bits, &result, 8);
        printf("%lx %d", bits[0], error);
    }
}

static void answer_time(void) {
    static char format[1 << 12], text[1 << 14];
    time_t seconds = strtoll(word(), NULL, 10);
    format[decode(word(), (unsigned char *)format)] = 0;
    answer(text, strftime(text, sizeof text, format, gmtime(&seconds)));
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        char *request = strtok(line, " \n");
        if (!strcmp(request, "printf"))
            answer_print();
        else if (!strcmp(request, "scanf"))
            answer_scan();
        else if (!strcmp(request, "real"))
            answer_real();
        else if (!strcmp(request, "integer"))
            answer_integer();
        else if (!strcmp(request, "random"))
            answer_random();
        else if (!strcmp(request, "error"))
            answer_error();
        else if (!strcmp(request, "characters"))
            answer_characters();
        else if (!strcmp(request, "mathematics"))
            answer_mathematics();
        else if (!strcmp(request, "single"))
            answer_single();
        else if (!strcmp(request, "time"))
            answer_time();
        putchar('\n');
    }
    return 0;
}

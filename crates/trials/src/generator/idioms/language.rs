//! Corners of the language: variadic functions, non-local jumps, variable-length arrays, volatile,
//! punning through bytes and unions, conversions, compiler builtins.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "variadic",
        includes: &["stdarg.h"],
        definitions: r#"
static long long total_of(const char *kinds, ...) {
    va_list list;
    unsigned long long total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i':
            total += (unsigned long long)va_arg(list, int);
            break;
        case 'l':
            total = total * 3u + (unsigned long long)va_arg(list, long long);
            break;
        case 'd':
            total ^= va_arg(list, double) < 1.0 ? 1u : 2u;
            break;
        case 's':
            total += (unsigned char)*va_arg(list, const char *);
            break;
        case 'p':
            total += (unsigned long long)*va_arg(list, int *);
            break;
        default:
            total++;
        }
    }
    va_end(list);
    return (long long)total;
}
"#,
        body: r#"
int target# = $2;
printf("total %lld\n", total_of("ildspi", $0, (long long)$1, $4, $5, &target#, $3));
mix((unsigned long long)total_of("iiiiiiiiii", 1, 2, $2, 4, $0, 6, 7, 8, $1, 10));
mix((unsigned long long)total_of("dddddddddd", 0.5, 1.5, $4, 2.5, 0.1, 9.0, 0.0, 8.0, $4, 10.0));
"#,
        work: 900,
    },
    Idiom {
        name: "forwarding",
        includes: &["stdarg.h"],
        definitions: r#"
static int note(char *into, size_t room, const char *format, ...) {
    va_list list;
    va_list again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(into, room, format, list);
    vprintf(format, again);
    va_end(again);
    va_end(list);
    return length;
}
"#,
        body: r#"
char noted#[24];
int length# = note(noted#, sizeof(noted#), "%d-%s-%c\n", $0, $5, 'a' + $2);
printf("%d %s\n", length#, noted#);
"#,
        work: 600,
    },
    Idiom {
        name: "rescue",
        includes: &["setjmp.h"],
        definitions: r#"
static jmp_buf rescue_point;
static void plunge(int depth, int code) {
    if (depth <= 0) {
        longjmp(rescue_point, code);
    }
    plunge(depth - 1, code);
    mix(1);
}
"#,
        body: r#"
volatile int stage# = $0;
switch (setjmp(rescue_point)) {
case 0:
    stage# = stage# ^ 1;
    plunge($2, 1 + $3 % 3);
    stage# = 99;
    break;
case 1:
    stage# = stage# / 2;
    break;
case 2:
    stage# = stage# | 64;
    plunge(1, 3);
    break;
default:
    mix(5);
}
printf("stage %d\n", stage#);
"#,
        work: 500,
    },
    Idiom {
        name: "variable_length",
        includes: &[],
        definitions: r#"
static unsigned sum_grid(int rows, int columns, int grid[rows][columns]) {
    unsigned total = 0;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            total = total * 7u + (unsigned)grid[row][column];
        }
    }
    return total;
}
"#,
        body: r#"
int count# = 1 + $2;
int width# = 1 + $3 % 4;
int line#[count#];
for (int i# = 0; i# < count#; i#++) {
    line#[i#] = i# ^ $0;
}
int grid#[count#][width#];
for (int i# = 0; i# < count# * width#; i#++) {
    grid#[i# / width#][i# % width#] = i#;
}
mix((unsigned long long)line#[count# - 1]);
mix(sizeof(line#) + sizeof(grid#));
mix(sum_grid(count#, width#, grid#));
"#,
        work: 1500,
    },
    Idiom {
        name: "volatile",
        includes: &[],
        definitions: r#"
static volatile int watched = 3;
static volatile unsigned char flags[3] = {1, 2, 4};
"#,
        body: r#"
watched = $0;
volatile unsigned local# = (unsigned)watched;
for (int i# = 0; i# < 3; i#++) {
    flags[i#] = (unsigned char)(flags[i#] + local#);
}
local# += flags[1];
mix(local#);
"#,
        work: 300,
    },
    Idiom {
        name: "bytes",
        includes: &["string.h"],
        definitions: r#"
union view {
    unsigned long long whole;
    unsigned int half[2];
    unsigned short quarter[4];
    unsigned char byte[8];
};
static unsigned sum_bytes(const void *object, size_t size) {
    const unsigned char *at = object;
    unsigned total = 0;
    while (size--) {
        total = (total << 5) + total + *at++;
    }
    return total;
}
"#,
        body: r#"
union view view#;
view#.whole = (unsigned long long)$0 << 32 ^ (unsigned)$1;
view#.byte[$2 & 7] ^= 0x5a;
printf("view %x %u %d\n", view#.half[1], view#.quarter[2], view#.byte[7]);
float real# = (float)$0;
unsigned pattern#;
memcpy(&pattern#, &real#, sizeof(pattern#));
mix(pattern#);
long numbers#[3] = {$0, $1, $2};
mix(sum_bytes(numbers#, sizeof(numbers#)));
unsigned char *raw# = (unsigned char *)numbers#;
raw#[$3] = 1;
mix((unsigned long long)numbers#[1]);
"#,
        work: 600,
    },
    Idiom {
        name: "conversions",
        includes: &[],
        definitions: "",
        body: r#"
_Bool truth# = $4;
_Bool other# = $0;
signed char narrow# = (signed char)$0;
unsigned char wrapped# = (unsigned char)$1;
narrow# += wrapped#;
wrapped# -= narrow#;
unsigned short half# = (unsigned short)(narrow# * wrapped#);
long long wide# = narrow# - (long long)half#;
printf("conversions %d %d %d %u %u %lld\n", truth#, other#, narrow#, wrapped#, half#, wide#);
mix((unsigned long long)(-1 < (int)$2) + (unsigned)(-1 < (unsigned)$2));
mix((unsigned long long)(long long)(float)$0);
mix_double((float)$1 / 3.0f);
mix_double((double)(unsigned long long)wide#);
unsigned long long huge# = (unsigned long long)wide# | 1uLL << 63;
mix_double((float)huge#);
mix_double((double)(long long)huge#);
"#,
        work: 300,
    },
    Idiom {
        name: "builtins",
        includes: &[],
        definitions: "",
        body: r#"
int sum# = 0;
long long product# = 0;
unsigned char tiny# = 0;
int wraps# = __builtin_add_overflow($0, $1, &sum#);
wraps# = wraps# * 2 + __builtin_mul_overflow((long long)$0, (long long)$1, &product#);
wraps# = wraps# * 2 + __builtin_sub_overflow($2, $3, &tiny#);
printf("wraps %d %d %lld %u\n", wraps#, sum#, product#, tiny#);
mix((unsigned long long)(__builtin_popcount((unsigned)$0) + __builtin_clz((unsigned)$1 | 1u) * 100 + __builtin_ctzll((unsigned long long)$0 | 1uLL << 40) * 10000));
mix(__builtin_bswap32((unsigned)$0) ^ __builtin_bswap16((unsigned short)$1));
if (__builtin_expect($2 > 3, 0)) {
    mix(3);
}
"#,
        work: 200,
    },
    Idiom {
        name: "cleanup",
        includes: &["stdlib.h"],
        definitions: r#"
static int attempt(int limit) {
    int result = -1;
    char *one = malloc(8);
    char *other = NULL;
    if (!one) {
        goto out;
    }
    one[0] = (char)limit;
    if (limit > 5) {
        goto release;
    }
    other = malloc(4);
    if (!other) {
        goto release;
    }
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            if (row * column >= limit) {
                result = row * 10 + column;
                goto found;
            }
        }
    }
    result = -2;
found: ;
    free(other);
release: ;
    free(one);
out: ;
    return result;
}
"#,
        body: r#"
printf("attempt %d\n", attempt($2));
"#,
        work: 400,
    },
];

//! Algorithms over arrays and numbers: sorting, searching, matrices, recursion.

use super::Idiom;

pub(super) const IDIOMS: &[Idiom] = &[
    Idiom {
        name: "sorting",
        includes: &["stdlib.h"],
        definitions: r#"
static int by_value(const void *left, const void *right) {
    int one = *(const int *)left;
    int other = *(const int *)right;
    return (one > other) - (one < other);
}
"#,
        body: r#"
int sorted#[8] = {$0, 5, $2, -9, $1, 0, $3, 1000};
qsort(sorted#, 2 + $2 % 7, sizeof(int), by_value);
for (int i# = 0; i# < 8; i#++) {
    printf("%d ", sorted#[i#]);
}
puts("");
qsort(sorted#, sizeof(sorted#) / sizeof(sorted#[0]), sizeof(sorted#[0]), by_value);
int key# = $3;
int *hit# = bsearch(&key#, sorted#, 8, sizeof(int), by_value);
mix((unsigned long long)(hit# ? *hit# : -1));
"#,
        work: 1500,
    },
    Idiom {
        name: "sorting_records",
        includes: &["stdlib.h", "string.h"],
        definitions: r#"
struct entry {
    char name[8];
    int rank;
    double score;
};
static int by_rank(const void *left, const void *right) {
    const struct entry *one = left;
    const struct entry *other = right;
    if (one->rank != other->rank) {
        return one->rank < other->rank ? -1 : 1;
    }
    return strcmp(one->name, other->name);
}
"#,
        body: r#"
struct entry entries#[4] = {{"delta", $2, 0.5}, {"beta", $3, 1.5}, {"alpha", 3, 2.5}, {.name = "gamma", .rank = $0}};
qsort(entries#, 4, sizeof(struct entry), by_rank);
for (struct entry *at# = entries#; at# < entries# + 4; at#++) {
    printf("%s=%d\n", at#->name, at#->rank);
    mix_double(at#->score);
}
"#,
        work: 1500,
    },
    Idiom {
        name: "bubble",
        includes: &[],
        definitions: r#"
static void exchange(short *one, short *other) {
    short kept = *one;
    *one = *other;
    *other = kept;
}
static int bubble(short *values, int count) {
    int exchanges = 0;
    for (int end = count; end > 1; end--) {
        for (int at = 0; at + 1 < end; at++) {
            if (values[at] > values[at + 1]) {
                exchange(&values[at], values + at + 1);
                exchanges++;
            }
        }
    }
    return exchanges;
}
"#,
        body: r#"
short values#[7];
unsigned state# = (unsigned)$0;
for (int i# = 0; i# < 7; i#++) {
    state# = state# * 22695477u + 1u;
    values#[i#] = (short)(state# >> 16);
}
mix((unsigned long long)bubble(values#, 1 + $2 % 7));
for (int i# = 0; i# < 7; i#++) {
    mix((unsigned long long)values#[i#]);
}
"#,
        work: 1200,
    },
    Idiom {
        name: "matrix",
        includes: &[],
        definitions: r#"
static void multiply(double left[3][3], double right[3][3], double result[3][3]) {
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            result[row][column] = 0.0;
            for (int k = 0; k < 3; k++) {
                result[row][column] += left[row][k] * right[k][column];
            }
        }
    }
}
"#,
        body: r#"
double a#[3][3] = {{1, 2, 3}, {0.5, $2, -1}, {$0, 0, 1e-3}};
double b#[3][3] = {{$4, 0, 0}, {0, 1, 0}, {0, $3, 2}};
double c#[3][3];
multiply(a#, b#, c#);
multiply(c#, a#, b#);
for (int i# = 0; i# < 3; i#++) {
    show_double("cell", b#[i#][2 - i#]);
    mix_double(c#[i#][i#]);
}
"#,
        work: 1500,
    },
    Idiom {
        name: "mutual",
        includes: &[],
        definitions: r#"
static int is_odd(unsigned number);
static int is_even(unsigned number) {
    return number == 0 ? 1 : is_odd(number - 1);
}
static int is_odd(unsigned number) {
    if (number == 0) {
        return 0;
    }
    return is_even(number - 1);
}
static unsigned long fibonacci(int number) {
    return number < 2 ? (unsigned long)number : fibonacci(number - 1) + fibonacci(number - 2);
}
static unsigned ackermann(unsigned one, unsigned other) {
    if (one == 0) {
        return other + 1;
    }
    if (other == 0) {
        return ackermann(one - 1, 1);
    }
    return ackermann(one - 1, ackermann(one, other - 1));
}
"#,
        body: r#"
printf("even %d\n", is_even((unsigned)$2));
mix(fibonacci($3 % 9));
mix(ackermann((unsigned)$2 % 3u, (unsigned)$3 % 4u));
"#,
        work: 2500,
    },
    Idiom {
        name: "divisors",
        includes: &["string.h"],
        definitions: r#"
static long divisor(long one, long other) {
    while (other != 0) {
        long rest = one % other;
        one = other;
        other = rest;
    }
    return one < 0 ? -one : one;
}
static int sieve(int limit) {
    unsigned char composite[64];
    int primes = 0;
    memset(composite, 0, sizeof composite);
    for (int number = 2; number < limit; number++) {
        if (composite[number]) {
            continue;
        }
        primes++;
        for (int multiple = number * 2; multiple < limit; multiple += number) {
            composite[multiple] = 1;
        }
    }
    return primes;
}
"#,
        body: r#"
mix((unsigned long long)divisor((long)$0 * 6, (long)$1 * 4));
printf("primes %d\n", sieve(8 + $2 * 3));
"#,
        work: 1800,
    },
    Idiom {
        name: "machine",
        includes: &[],
        definitions: r#"
enum opcode {
    OP_PUSH,
    OP_ADD,
    OP_MULTIPLY,
    OP_DUPLICATE,
    OP_SWAP,
    OP_JUMP_UNLESS,
    OP_HALT,
};
static unsigned run_machine(const unsigned char *code, unsigned length, unsigned input) {
    unsigned stack[8] = {0};
    unsigned top = 1;
    unsigned at = 0;
    unsigned fuel = 60;
    stack[0] = input;
    while (at < length && fuel-- > 0) {
        switch ((enum opcode)code[at++]) {
        case OP_PUSH:
            if (top < 8 && at < length) {
                stack[top++] = code[at++];
            }
            break;
        case OP_ADD:
        case OP_MULTIPLY:
            if (top < 2) {
                return 1000;
            }
            top--;
            stack[top - 1] = code[at - 1] == OP_ADD ? stack[top - 1] + stack[top] : stack[top - 1] * stack[top];
            break;
        case OP_DUPLICATE:
            if (top >= 1 && top < 8) {
                stack[top] = stack[top - 1];
                top++;
            }
            break;
        case OP_JUMP_UNLESS:
            if (at < length) {
                at = stack[top - 1] % 7u == 0 ? at + 1 : code[at] % length;
            }
            break;
        case OP_HALT:
            goto done;
        default:
            stack[0] ^= stack[top - 1];
        }
    }
done: ;
    return stack[top - 1];
}
"#,
        body: r#"
unsigned char code#[12] = {OP_PUSH, (unsigned char)$2, OP_ADD, OP_DUPLICATE, OP_MULTIPLY, OP_PUSH, 3, (unsigned char)($3 % 6), OP_ADD, OP_JUMP_UNLESS, 2, OP_HALT};
printf("machine %u\n", run_machine(code#, sizeof(code#), (unsigned)$0));
"#,
        work: 2000,
    },
    Idiom {
        name: "bits",
        includes: &[],
        definitions: r#"
static unsigned reverse_bits(unsigned value) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; bit++) {
        result = result << 1 | (value >> bit & 1u);
    }
    return result;
}
static unsigned crc(const unsigned char *data, unsigned long length) {
    unsigned value = ~0u;
    while (length-- > 0) {
        value ^= *data++;
        for (int bit = 0; bit < 8; bit++) {
            value = value & 1u ? value >> 1 ^ 0xedb88320u : value >> 1;
        }
    }
    return ~value;
}
"#,
        body: r#"
unsigned turned# = reverse_bits((unsigned)$0);
printf("turned %08x\n", turned#);
mix(turned# << ($2 & 7) | turned# >> (31 - $3));
int word# = $1;
mix(crc((const unsigned char *)&word#, sizeof word#));
"#,
        work: 1800,
    },
];

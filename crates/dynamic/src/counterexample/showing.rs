//! C text of a counterexample that shows what a call did, in the words of the runtime.

/// `KNOWN_OBJECTS` is how many objects there are, `KNOWN_GLOBALS` of them variables and `KNOWN_GIVEN` others.
pub(super) const SHOWING: &str = r#"
/* The input is not freed, and an allocation may fail. */
const char *__asan_default_options(void) { return "detect_leaks=0:allocator_may_return_null=1"; }
size_t malloc_usable_size(void *);

static struct { const char *name; unsigned char *at; unsigned long size; } known_objects[KNOWN_OBJECTS + 1];

static void know_object(int number, const char *name, void *at, unsigned long size)
{
    known_objects[number].name = name;
    known_objects[number].at = at;
    known_objects[number].size = size;
}

static void show_number(const void *bytes, unsigned long size)
{
    unsigned long long number = 0;
    if (size > 8) {
        printf("returns");
        for (unsigned long i = 0; i < size; i++)
            printf(" %02x", ((const unsigned char *)bytes)[i]);
        printf("\n");
        return;
    }
    memcpy(&number, bytes, size);
    long long with_sign = (long long)(number << (64 - 8 * size)) >> (64 - 8 * size);
    printf(with_sign < 0 ? "returns %lld (0x%llx)\n" : "returns %lld\n", with_sign, number);
}

static void show_floating(const void *bytes, unsigned long size)
{
    unsigned long long bits = 0;
    memcpy(&bits, bytes, size);
    printf("returns %.17g (0x%llx)\n",
        size == 4 ? *(const float *)bytes : *(const double *)bytes, bits);
}

extern char __executable_start, _etext, _end;

__attribute__((no_sanitize("address", "undefined"))) static void show_pointer(const void *pointer)
{
    const char *at = pointer;
    if (!pointer) {
        printf("null");
        return;
    }
    for (int i = 0; i < KNOWN_OBJECTS; i++) {
        unsigned long offset = (const unsigned char *)at - known_objects[i].at;
        if (offset <= known_objects[i].size) {
            printf(offset ? "&%s + %lu" : "&%s", known_objects[i].name, offset);
            return;
        }
    }
    if (pointer == stdin || pointer == stdout) {
        printf(pointer == stdin ? "stdin" : "stdout");
    } else if (at >= &__executable_start && at < &_etext) {
        printf("a function");
    } else if (at >= &_etext && at < &_end) {
        printf("constant \"");
        for (int i = 0; i < 64 && at + i < &_end && at[i]; i++)
            printf(at[i] >= 32 && at[i] < 127 ? "%c" : "\\%03o", (unsigned char)at[i]);
        printf("\"");
    } else {
        printf("a pointer");
    }
}

#define IS_FLOATING(x) _Generic((x), float: 1, double: 1, default: 0)

static void show(const char *name, const void *bytes, unsigned long size, int is_floating)
{
    unsigned long long number = 0;
    printf("%s", name);
    for (unsigned long i = 0; i < size; i++)
        printf(" %02x", ((const unsigned char *)bytes)[i]);
    if (is_floating) {
        printf(" (%.17g)", size == 4 ? *(const float *)bytes : *(const double *)bytes);
    } else if (size && size <= 8) {
        memcpy(&number, bytes, size);
        printf(" (%lld)", (long long)(number << (64 - 8 * size)) >> (64 - 8 * size));
    }
    printf("\n");
}
"#;

/// What functions that no one defines return.
pub(super) const RESULTS: &str = "
static unsigned long next_number(void)
{
    return results[next_result++ % (sizeof results / sizeof *results)];
}

static void *next_pointer(void)
{
    unsigned long number = next_number();
    return number % 4 == 0 || !KNOWN_GIVEN ? 0 : known_objects[KNOWN_GLOBALS + number / 4 % (KNOWN_GIVEN + !KNOWN_GIVEN)].at;
}
";

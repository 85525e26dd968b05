/* Calls one function on given inputs and says what it did.
 *
 *     PROGRAM CASES digest    one line a case: how it ended and a hash of all that was seen
 *     PROGRAM CASES show      the first case: all that was seen, in words
 *
 * It is linked with a bridge (see bridge.rs) that holds the unit, calls the function and describes
 * memory. Without sanitizers a trap, a fault or a long loop ends the case only: objects lie against
 * pages without access, and undefined behaviour is compiled to traps. With them the process ends.
 *
 * The limits are set before code of the unit runs, and none of them can be taken back. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef KNOCKON_FILL
#define KNOCKON_FILL 0xa5 /* what memory of malloc holds at first */
#endif

typedef unsigned char byte;

/* The library's memcpy is watched by the sanitizers, and what is read here may lie next to anything. */
static void copy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((byte *)to)[i] = ((const byte *)from)[i];
}

struct shape { unsigned long stride, first_field, field_count; };
struct field { unsigned long offset, size, count; long pointee; };
struct global { void *address; unsigned long size; long shape, is_constant; };

/* Of the bridge. */
extern const struct shape knockon_shapes[];
extern const struct field knockon_fields[];
extern const struct global knockon_globals[];
extern const unsigned long knockon_global_count;
extern const int knockon_least_character;
extern void knockon_call(const uint64_t *arguments);
extern char __executable_start, _etext, _end;

/* What other functions of the unit name and nothing defines: pages without access (missing.rs). */
extern byte __start_knockon_missing[] __attribute__((weak));
extern byte __stop_knockon_missing[] __attribute__((weak));

static int is_missing(const void *place)
{
    return __start_knockon_missing && (const byte *)place >= __start_knockon_missing
        && (const byte *)place < __stop_knockon_missing;
}

/* ---- limits -------------------------------------------------------------------------------- */

static char missing[256];

static void lacks(const char *limit)
{
    if (strlen(missing) + strlen(limit) + 3 < sizeof missing) {
        if (missing[0])
            strcat(missing, ", ");
        strcat(missing, limit);
    }
}

static void limit(int resource, rlim_t value, const char *name)
{
    struct rlimit both = {value, value};
    if (setrlimit(resource, &both))
        lacks(name);
}

struct landlock_ruleset { uint64_t handled; };
struct __attribute__((packed)) landlock_path { uint64_t allowed; int32_t parent; };

static void allow(int ruleset, const char *path, uint64_t rights)
{
    struct landlock_path rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    syscall(445, ruleset, 1, &rule, 0);
    close(rule.parent);
}

/* Files can be read, and written only below the current directory; nothing can be executed. */
static void restrict_files(void)
{
    struct landlock_ruleset all = {0x1fff};
    int ruleset = syscall(444, &all, sizeof all, 0);
    if (ruleset < 0) {
        lacks("Landlock");
        return;
    }
    allow(ruleset, "/", 0xc);
    allow(ruleset, ".", 0x1ffe);
    if (syscall(446, ruleset, 0))
        lacks("Landlock");
    close(ruleset);
}

__attribute__((constructor(101))) static void set_limits(void)
{
    setsid();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        lacks("no new privileges");
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) && unshare(CLONE_NEWNET))
        lacks("a network of its own");
    restrict_files();
    limit(RLIMIT_CORE, 0, "core size");
    limit(RLIMIT_FSIZE, 1 << 20, "file size");
    limit(RLIMIT_NPROC, 0, "processes");
    limit(RLIMIT_NOFILE, 64, "open files");
    limit(RLIMIT_CPU, 30, "processor time");
#ifndef KNOCKON_SANITIZED
    limit(RLIMIT_AS, 1ul << 30, "memory");
#endif
}

/* ---- what was seen ------------------------------------------------------------------------- */

static char *seen;
static size_t seen_length, seen_room;
static int is_full;
enum { MOST_SEEN = 1 << 20 };

static void see(const char *format, ...)
{
    va_list arguments;
    if (is_full)
        return;
    if (seen_room - seen_length < 4096) {
        if (seen_length > MOST_SEEN) {
            is_full = 1;
            return;
        }
        size_t room = seen_room * 2 + 65536;
        char *more = mmap(0, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED) {
            is_full = 1;
            return;
        }
        for (size_t i = 0; i < seen_length; i++)
            more[i] = seen[i];
        if (seen)
            munmap(seen, seen_room);
        seen = more;
        seen_room = room;
    }
    va_start(arguments, format);
    int length = vsnprintf(seen + seen_length, 2048, format, arguments);
    va_end(arguments);
    if (length > 0)
        seen_length += length < 2048 ? length : 2047;
}

static void see_text(const char *what, const char *text, size_t length)
{
    if (!length)
        return;
    see("%s \"", what);
    for (size_t i = 0; i < length && !is_full; i++) {
        byte c = text[i];
        if (c == '\n')
            see("\\n");
        else if (c == '"' || c == '\\')
            see("\\%c", c);
        else if (c >= 32 && c < 127)
            see("%c", c);
        else
            see("\\%03o", c);
    }
    see("\"\n");
}

/* ---- objects ------------------------------------------------------------------------------- */

enum { MOST_OBJECTS = 1024, SLOT = 1 << 16, PAGE = 4096 };

struct object {
    byte *address;
    size_t size;
    long shape;
    int is_freed, is_heap;
    int number;       /* how it is called: heap objects when they are first seen */
    int is_shown;
};

static struct object objects[MOST_OBJECTS];
static int object_count, input_count, named_heap, slot_count;
static byte *arena;

void *__real_malloc(size_t size);
void __real_free(void *pointer);

/* What this runtime cannot do is no matter of the function. */
static void nothing_is_known(void);

/* Of a call that has no meaning. */
static void undefined(const char *what)
{
    dprintf(2, "knockon: %s\n", what);
    raise(SIGILL);
    _exit(1);
}

/* Ends where a page without access begins. */
static byte *fresh(size_t size, size_t alignment)
{
#ifdef KNOCKON_SANITIZED
    (void)alignment;
    return __real_malloc(size ? size : 1);
#else
    if (size > SLOT - 2 * PAGE || slot_count >= MOST_OBJECTS)
        return 0;
    byte *slot = arena + (size_t)slot_count++ * SLOT;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    size_t pages = (rounded + PAGE - 1) / PAGE * PAGE;
    byte *last = slot + SLOT - PAGE;
    if (pages && mprotect(last - pages, pages, PROT_READ | PROT_WRITE))
        return 0;
    return last - rounded;
#endif
}

static struct object *note(byte *address, size_t size, long shape)
{
    if (!address || object_count == MOST_OBJECTS)
        return 0;
    objects[object_count] = (struct object){address, size, shape, 0, 0, object_count, 0};
    return &objects[object_count++];
}

static struct object *object_at(const void *pointer)
{
    const byte *at = pointer;
    for (int i = object_count; i-- > 0;)
        if (at >= objects[i].address && at <= objects[i].address + objects[i].size)
            if (at < objects[i].address + objects[i].size || !objects[i].size || i < input_count
                || objects[i].is_heap)
                return &objects[i];
    return 0;
}

void *__wrap_malloc(size_t size)
{
    if (object_count == MOST_OBJECTS)
        nothing_is_known();
    byte *address = fresh(size, 16);
    struct object *made = note(address, size, -1);
    if (!made)
        return 0;
    made->is_heap = 1;
    made->number = -1;
    for (size_t i = 0; i < size; i++)
        address[i] = KNOCKON_FILL;
    return address;
}

void *__wrap_calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all))
        return 0;
    byte *address = __wrap_malloc(all);
    for (size_t i = 0; address && i < all; i++)
        address[i] = 0;
    return address;
}

void __wrap_free(void *pointer)
{
    if (!pointer)
        return;
    struct object *freed = object_at(pointer);
    if (!freed) {
        __real_free(pointer);
        return;
    }
    if (freed->address != pointer || freed->is_freed || freed - objects < (long)knockon_global_count)
        undefined("free of what malloc did not return, or twice");
    freed->is_freed = 1;
#ifdef KNOCKON_SANITIZED
    __real_free(pointer);
#else
    size_t slot = (size_t)(freed->address - arena) / SLOT;
    mprotect(arena + slot * SLOT, SLOT, PROT_NONE);
#endif
}

void *__wrap_realloc(void *pointer, size_t size)
{
    struct object *old = pointer ? object_at(pointer) : 0;
    if (pointer && !old)
        nothing_is_known();
    if (pointer && !size) {
        __wrap_free(pointer);
        return 0;
    }
    byte *made = __wrap_malloc(size);
    if (made && old)
        for (size_t i = 0; i < size && i < old->size; i++)
            made[i] = old->address[i];
    if (made && pointer)
        __wrap_free(pointer);
    return made;
}

static char *duplicate(const char *text, size_t length)
{
    char *made = __wrap_malloc(length + 1);
    for (size_t i = 0; made && i < length; i++)
        made[i] = text[i];
    if (made)
        made[length] = 0;
    return made;
}

char *__wrap_strdup(const char *text) { return duplicate(text, strlen(text)); }

char *__wrap_strndup(const char *text, size_t most) { return duplicate(text, strnlen(text, most)); }

/* ---- characters ---------------------------------------------------------------------------- */

/* These functions read tables, of which the sanitizers do not know how long they are. */
#define OF_CHARACTERS(name)                                                        \
    int __real_##name(int character);                                             \
    int __wrap_##name(int character)                                              \
    {                                                                              \
        if (character < knockon_least_character || character > 255)                \
            undefined(#name " of what is neither an unsigned char nor EOF");      \
        return __real_##name(character);                                          \
    }
OF_CHARACTERS(isalnum)
OF_CHARACTERS(isalpha)
OF_CHARACTERS(isblank)
OF_CHARACTERS(iscntrl)
OF_CHARACTERS(isdigit)
OF_CHARACTERS(isgraph)
OF_CHARACTERS(islower)
OF_CHARACTERS(isprint)
OF_CHARACTERS(ispunct)
OF_CHARACTERS(isspace)
OF_CHARACTERS(isupper)
OF_CHARACTERS(isxdigit)
OF_CHARACTERS(tolower)
OF_CHARACTERS(toupper)

/* ---- pointers and memory, without addresses --------------------------------------------------- */

static int work[MOST_OBJECTS], work_count;

/* As memory of malloc is filled, or, where the compiler is told to, a variable. */
static int is_filling(const void *pointer)
{
    const uint64_t every = 0x0101010101010101, bits = (uintptr_t)pointer;
    return bits == every * KNOCKON_FILL || bits == every * 0xaa;
}

static void see_pointer(const void *pointer, long shape)
{
    const char *at = pointer;
    struct object *object;
    if (!pointer) {
        see("null");
    } else if (is_filling(pointer)) {
        see("not initialised %02x", KNOCKON_FILL);
    } else if ((object = object_at(pointer))) {
        long offset = (byte *)pointer - object->address;
        int index = object - objects;
        if (object->shape < 0)
            object->shape = shape;
        if (object->number < 0)
            object->number = input_count + named_heap++;
        if (!object->is_shown && object->is_heap && work_count < MOST_OBJECTS) {
            object->is_shown = 1;
            work[work_count++] = index;
        }
        see(offset ? "%s %d + %ld" : "%s %d", index < (int)knockon_global_count ? "&global" : "&object",
            object->number, offset);
    } else if (pointer == stdin || pointer == stdout) {
        see(pointer == stdin ? "stdin" : "stdout");
    } else if (is_missing(pointer)) {
        see("elsewhere");
    } else if (at >= &__executable_start && at < &_etext) {
        see("a function");
    } else if (at >= &_etext && at < &_end) {
        /* A constant or a static variable: its text, unless addresses are in it. */
        int length = 0;
        while (length < 64 && at + length < &_end && at[length])
            length++;
        const char *first = at - (uintptr_t)at % 8;
        for (const char *word = first; word < at + length && word + 8 <= &_end; word += 8) {
            const char *value;
            copy(&value, word, 8);
            if (value >= &__executable_start && value < &_end) {
                see("a constant");
                return;
            }
        }
        see("constant \"");
        for (int i = 0; i < length; i++)
            see(at[i] >= 32 && at[i] < 127 ? "%c" : "\\%03o", (byte)at[i]);
        see("\"");
    } else {
        see("elsewhere");
    }
}

static void see_object(const struct object *object)
{
    if (object->is_freed) {
        see("freed");
        return;
    }
    if (object->shape < 0) {
        see("?");
        return;
    }
    const struct shape *shape = &knockon_shapes[object->shape];
    size_t base = 0;
    do {
        for (unsigned long f = 0; f < shape->field_count; f++) {
            const struct field *field = &knockon_fields[shape->first_field + f];
            for (unsigned long i = 0; i < field->count; i++) {
                size_t offset = base + field->offset + i * field->size;
                if (offset + field->size > object->size)
                    break;
                const byte *at = object->address + offset;
                if (field->pointee >= 0 && field->size == 8) {
                    void *pointer;
                    copy(&pointer, at, 8);
                    see(" ");
                    see_pointer(pointer, field->pointee);
                    continue;
                }
                see(field->size > 1 || !(offset % 16) ? " " : "");
                for (unsigned long b = field->size; b-- > 0;)
                    see("%02x", at[b]);
            }
        }
        base += shape->stride;
    } while (shape->stride && base < object->size && !is_full);
}

/* ---- what the bridge calls ----------------------------------------------------------------- */

void knockon_result(const void *value, unsigned long size)
{
    const byte *bytes = value;
    if (size <= 8) {
        uint64_t number = 0;
        for (unsigned long i = size; i-- > 0;)
            number = number << 8 | bytes[i];
        int64_t with_sign = size == 8 ? (int64_t)number
            : (int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size);
        see(with_sign < 0 ? "returns %lld (0x%llx)\n" : "returns %lld\n", (long long)with_sign,
            (unsigned long long)number);
        return;
    }
    see("returns");
    for (unsigned long i = 0; i < size; i++)
        see(" %02x", bytes[i]);
    see("\n");
}

void knockon_result_floating(const void *value, unsigned long size)
{
    float single;
    double number = 0;
    uint64_t bits = 0;
    copy(&bits, value, size);
    if (size == sizeof single) {
        copy(&single, value, size);
        number = single;
    } else {
        copy(&number, value, size);
    }
    see("returns %.17g (0x%llx)\n", number, (unsigned long long)bits);
}

void knockon_result_pointer(const void *pointer, long shape)
{
    see("returns ");
    see_pointer(pointer, shape);
    see("\n");
}

void knockon_called(const char *name) { see("calls %s(", name); }
void knockon_called_with_number(uint64_t number) { see(" %lld", (long long)number); }
void knockon_called_with_floating(double number) { see(" %a", number); }
void knockon_called_with_pointer(const void *pointer, long shape)
{
    see(" ");
    see_pointer(pointer, shape);
    struct object *object = object_at(pointer);
    if (object) {
        see(" {");
        see_object(object);
        see(" }");
    }
}
void knockon_called_done(void) { see(" )\n"); }

static const uint64_t *results;
static uint32_t result_count, next_result;

uint64_t knockon_next_number(void)
{
    return result_count ? results[next_result++ % result_count] : 0;
}

void *knockon_next_pointer(void)
{
    uint64_t number = knockon_next_number();
    int inputs = input_count - (int)knockon_global_count;
    if (number % 4 == 0 || inputs <= 0)
        return 0;
    return objects[knockon_global_count + number / 4 % inputs].address;
}

/* ---- one case ------------------------------------------------------------------------------ */

static sigjmp_buf back;
static volatile int is_inside;
static int exit_status;
enum { RETURNED, EXITED, ABORTED, UNDEFINED, LATE, MISSING, NOT_ENTERED };

/* The function in question was entered. */
static volatile int is_entered;
#ifdef KNOCKON_PROBED
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
    (void)start;
    (void)stop;
}
void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
    is_entered = 1;
}
#endif

static const char letters[] = "rxautne";

static void on_signal(int number)
{
    if (!is_inside) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    is_inside = 0;
    siglongjmp(back, 1 + (number == SIGABRT ? ABORTED : number == SIGVTALRM ? LATE : UNDEFINED));
}

static void nothing_is_known(void)
{
    if (!is_inside)
        _exit(2);
    is_inside = 0;
    siglongjmp(back, 1 + MISSING);
}

static struct sigaction fault_action;

/* Of a run that needs what is missing nothing is known. */
static void on_fault(int number, siginfo_t *fault, void *context)
{
    (void)context;
    if (is_inside && is_missing(fault->si_addr))
        nothing_is_known();
#ifdef KNOCKON_SANITIZED
    /* It comes again, and the sanitizer reports it. */
    sigaction(number, &fault_action, 0);
#else
    on_signal(number);
#endif
}

void __wrap_exit(int status)
{
    exit_status = status;
    if (!is_inside)
        _exit(status);
    is_inside = 0;
    siglongjmp(back, 1 + EXITED);
}

void __wrap__exit(int status) { __wrap_exit(status); }

static const byte *next_byte;

static uint32_t take32(void)
{
    uint32_t value;
    copy(&value, next_byte, 4);
    next_byte += 4;
    return value;
}

static uint64_t take64(void)
{
    uint64_t value;
    copy(&value, next_byte, 8);
    next_byte += 8;
    return value;
}

static void set_timer(long microseconds)
{
    struct itimerval value = {{0, 0}, {microseconds / 1000000, microseconds % 1000000}};
    setitimer(ITIMER_VIRTUAL, &value, 0);
}

static void *address_of(uint64_t place)
{
    uint32_t object = place >> 32;
    if (object == 0xfffffffe)
        return stdin;
    if (object == 0xfffffffd)
        return stdout;
    if (object == 0xffffffff || (int)object >= object_count)
        return 0;
    return objects[object].address + (uint32_t)place;
}

static byte *initial[64];

/* Reads a case, runs it, and says how it ended. */
static int run(void)
{
    static uint64_t arguments[32];
    static char *printed, *errors;
    static size_t printed_length, errors_length;
    seen_length = 0;
    is_full = 0;
    object_count = named_heap = slot_count = work_count = 0;
    for (unsigned long i = 0; i < knockon_global_count; i++) {
        note(knockon_globals[i].address, knockon_globals[i].size, knockon_globals[i].shape);
        if (i < 64 && !knockon_globals[i].is_constant)
            for (unsigned long b = 0; b < knockon_globals[i].size; b++)
                objects[i].address[b] = initial[i][b];
    }
    FILE *out = stdout, *err = stderr, *in = stdin;
    uint32_t input_length = take32();
    stdin = fmemopen((void *)next_byte, input_length ? input_length : 1, "r");
    if (!input_length)
        fgetc(stdin);
    next_byte += input_length + 1;
    stdout = open_memstream(&printed, &printed_length);
    stderr = open_memstream(&errors, &errors_length);
    uint32_t count = take32();
    static struct { uint32_t object, pointers; const byte *table; } pending[MOST_OBJECTS];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = take32();
        int32_t shape = take32();
        uint32_t size = take32(), pointers = take32();
        if (index >= (uint32_t)object_count) {
            size_t alignment = 16;
            while (size % alignment)
                alignment /= 2;
            if (!note(fresh(size, alignment), size, shape))
                _exit(3);
        }
        for (uint32_t b = 0; b < size; b++)
            if (b < objects[index].size)
                objects[index].address[b] = next_byte[b];
        next_byte += size;
        pending[i].object = index;
        pending[i].pointers = pointers;
        pending[i].table = next_byte;
        next_byte += 12 * (size_t)pointers;
    }
    const byte *after = next_byte;
    for (uint32_t i = 0; i < count; i++) {
        next_byte = pending[i].table;
        for (uint32_t p = 0; p < pending[i].pointers; p++) {
            uint32_t offset = take32();
            void *target = address_of(take64());
            if (offset + 8 <= objects[pending[i].object].size)
                copy(objects[pending[i].object].address + offset, &target, 8);
        }
    }
    next_byte = after;
    input_count = object_count;
    uint32_t argument_count = take32();
    for (uint32_t i = 0; i < argument_count; i++) {
        uint32_t is_pointer = take32();
        uint64_t value = take64();
        if (i < 32)
            arguments[i] = is_pointer ? (uint64_t)(uintptr_t)address_of(value) : value;
    }
    result_count = take32();
    results = (const uint64_t *)next_byte;
    next_result = 0;
    next_byte += 8 * (size_t)result_count;
    errno = 0;
    srand(1);
    int ending = sigsetjmp(back, 1);
    if (!ending) {
        is_inside = 1;
        is_entered = 0;
        set_timer(KNOCKON_CASE_MICROSECONDS);
        knockon_call(arguments);
        is_inside = 0;
        ending = 1 + RETURNED;
    }
    ending--;
    set_timer(0);
#ifdef KNOCKON_PROBED
    if (!is_entered && ending <= ABORTED)
        ending = NOT_ENTERED;
#endif
    fclose(stdout);
    fclose(stderr);
    fclose(stdin);
    stdout = out;
    stderr = err;
    stdin = in;
    if (ending == EXITED)
        see("ends the program with exit status %d\n", exit_status & 255);
    if (ending == ABORTED)
        see("ends the program by abort\n");
    if (ending == UNDEFINED)
        see("has undefined behaviour\n");
    see_text("prints", printed, printed_length);
    see_text("writes to standard error", errors, errors_length);
    free(printed);
    free(errors);
    printed = errors = 0;
    /* After the end of the program nobody looks at memory. */
    if (ending == RETURNED) {
        for (int i = 0; i < input_count; i++) {
            if (i < (int)knockon_global_count && knockon_globals[i].is_constant)
                continue;
            see(i < (int)knockon_global_count ? "global %d:" : "object %d:", i);
            see_object(&objects[i]);
            see("\n");
        }
        for (int i = 0; i < work_count; i++) {
            see("object %d:", objects[work[i]].number);
            see_object(&objects[work[i]]);
            see("\n");
        }
    }
    return ending;
}

/* On which line an assertion stands is no difference. */
__attribute__((weak)) void __assert_fail(const char *assertion, const char *file, unsigned line,
                                         const char *function) {
    (void)line;
    fprintf(stderr, "%s: %s: Assertion `%s' failed.\n", file, function, assertion);
    abort();
}

int main(int count, char **words)
{
    static byte stack[1 << 16];
    struct stat status;
    if (count < 3)
        return 2;
    int file = open(words[1], O_RDONLY);
    if (file < 0 || fstat(file, &status))
        return 2;
    byte *cases = mmap(0, status.st_size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (cases == MAP_FAILED)
        return 2;
    close(file);
    int answer = dup(1), nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, 0);
        dup2(nothing, 1);
    }
    arena = mmap(0, (size_t)MOST_OBJECTS * SLOT, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        return 2;
    for (unsigned long i = 0; i < knockon_global_count && i < 64; i++) {
        size_t size = knockon_globals[i].size;
        initial[i] = mmap(0, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (size_t b = 0; b < size; b++)
            initial[i][b] = ((byte *)knockon_globals[i].address)[b];
    }
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&own, 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaction(SIGABRT, &action, 0);
    sigaction(SIGVTALRM, &action, 0);
#ifndef KNOCKON_SANITIZED
    int faults[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP};
    for (int i = 0; i < 5; i++)
        sigaction(faults[i], &action, 0);
#endif
    if (__start_knockon_missing) {
        mprotect(__start_knockon_missing, __stop_knockon_missing - __start_knockon_missing, PROT_NONE);
        struct sigaction watching = {.sa_sigaction = on_fault,
            .sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO};
        sigaction(SIGSEGV, &watching, &fault_action);
    }
    next_byte = cases;
    uint32_t total = take32();
    int is_verbose = !strcmp(words[2], "show"), late = 0;
    dprintf(answer, "limits %s\n", missing);
    for (uint32_t i = 0; i < total && late < 8; i++) {
        next_byte = cases + 4 + 4 * (size_t)i;
        next_byte = cases + take32();
        int ending = run();
        if (is_verbose) {
            dprintf(answer, "%c\n", letters[ending]);
            for (size_t done = 0; done < seen_length;) {
                ssize_t part = write(answer, seen + done, seen_length - done);
                if (part <= 0)
                    return 2;
                done += part;
            }
            return 0;
        }
        uint64_t hash = 0xcbf29ce484222325;
        for (size_t b = 0; b < seen_length; b++)
            hash = (hash ^ (byte)seen[b]) * 0x100000001b3;
        dprintf(answer, "%c %016llx\n", letters[ending], (unsigned long long)hash);
        late += ending == LATE;
    }
    return 0;
}

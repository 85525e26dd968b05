/* Calls both versions of a function on many inputs and compares all that they do. What comes before
 * and after the two units is made for the function: driver.rs. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { MOST_BLOCKS = 4, LARGEST_BLOCK = 1024, MOST_WORDS = 32 };

static unsigned long random_state;
static unsigned long next(void)
{
    unsigned long mixed = random_state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

/* What one version did. */
struct seen {
    unsigned long result, trace;
    unsigned long words[MOST_WORDS];
    unsigned char blocks[MOST_BLOCKS][LARGEST_BLOCK];
};

enum { RETURNED, UNDEFINED, LATE };

static struct seen seen_old, seen_new, *seen_now;
static unsigned long trace, case_key;
static unsigned long given_scalars[8], given_words[MOST_WORDS], given_count;
static unsigned char given_blocks[MOST_BLOCKS][LARGEST_BLOCK];
static unsigned long block_sizes[MOST_BLOCKS];
static unsigned char *blocks[MOST_BLOCKS];
static int block_count, shape;

/* Now and then memory cannot be written: a function may be given a constant. */
static unsigned char *pages[MOST_BLOCKS];
static int is_fixed;
enum { PAGE = 4096 };

/* The words of global variables of the version that runs, for functions outside of the program. */
static void *watched[MOST_WORDS];
static int watched_sizes[MOST_WORDS], watched_count;

static unsigned long mix(unsigned long one, unsigned long two)
{
    one = (one ^ two) * 0xbf58476d1ce4e5b9;
    return one ^ one >> 29;
}

/* It may look at all memory that is not the function's own, and now and then changes it. */
static void outside(unsigned long argument)
{
    trace = mix(trace, argument);
    for (int i = 0; i < watched_count; i++)
        for (int j = 0; j < watched_sizes[i]; j++)
            trace = mix(trace, ((unsigned char *)watched[i])[j]);
    for (int i = 0; i < block_count; i++)
        for (unsigned long j = 0; j < block_sizes[i]; j++)
            trace = mix(trace, blocks[i][j]);
    unsigned long change = mix(trace, case_key);
    if (case_key % 3 == 0 && !is_fixed) {
        if (watched_count)
            *(unsigned char *)watched[change % watched_count] ^= change >> 8;
        if (block_count && block_sizes[0])
            blocks[0][change % block_sizes[0]] ^= change >> 16;
    }
}

unsigned ask(unsigned argument)
{
    outside(argument);
    return mix(trace, case_key) >> (trace % 40);
}

void tell(unsigned argument)
{
    outside(argument + 1ul);
}

static sigjmp_buf escape;
static volatile int is_active, has_report, serial, last_serial, ticks;

static void on_trap(int signal)
{
    (void)signal;
    if (is_active)
        siglongjmp(escape, UNDEFINED);
    _Exit(4);
}

static void on_tick(int signal)
{
    (void)signal;
    if (serial != last_serial)
        ticks = 0;
    last_serial = serial;
    if (is_active && ++ticks >= 3)
        siglongjmp(escape, LATE);
}

const char *__asan_default_options(void)
{
    return "halt_on_error=0:log_path=/dev/null:symbolize=0:suppress_equal_pcs=0:handle_segv=0:"
           "handle_sigill=0:handle_sigfpe=0:handle_sigbus=0:detect_leaks=0:quarantine_size_mb=1:"
           "detect_stack_use_after_return=0:print_legend=0:allow_user_segv_handler=1";
}

void __asan_on_error(void)
{
    has_report = 1;
}

static void listen(void)
{
    for (int i = 0; i < MOST_BLOCKS; i++) {
        pages[i] = mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(pages[i] + PAGE, PAGE, PROT_NONE);
    }
    static char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, 0);
    struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_NODEFER | SA_ONSTACK};
    int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGFPE, SIGBUS};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, 0);
    action.sa_handler = on_tick;
    sigaction(SIGVTALRM, &action, 0);
    struct itimerval every = {{0, 10000}, {0, 10000}};
    setitimer(ITIMER_VIRTUAL, &every, 0);
}

static void begin(struct seen *seen)
{
    seen_now = seen;
    memset(seen, 0, sizeof *seen);
    trace = 0;
    has_report = 0;
    watched_count = 0;
    for (int i = 0; i < block_count; i++) {
        blocks[i] = is_fixed ? pages[i] + PAGE - block_sizes[i] : malloc(block_sizes[i]);
        memcpy(blocks[i], given_blocks[i], block_sizes[i]);
        if (is_fixed)
            mprotect(pages[i], PAGE, PROT_READ);
    }
    serial++;
}

static int end(int status)
{
    seen_now->trace = trace;
    for (int i = 0; i < block_count; i++) {
        memcpy(seen_now->blocks[i], blocks[i], block_sizes[i]);
        if (is_fixed)
            mprotect(pages[i], PAGE, PROT_READ | PROT_WRITE);
        else
            free(blocks[i]);
    }
    return has_report ? UNDEFINED : status;
}

static void watch(void *object, int size)
{
    watched[watched_count] = object;
    watched_sizes[watched_count++] = size;
}

static void show(void)
{
    printf("given");
    for (int i = 0; i < 8; i++)
        printf(" %ld", (long)given_scalars[i]);
    printf(", %lu elements, shape %d%s\n", given_count, shape, is_fixed ? ", constant" : "");
    printf("old returns %ld, new returns %ld\n", (long)seen_old.result, (long)seen_new.result);
    for (int i = 0; i < MOST_WORDS; i++)
        if (seen_old.words[i] != seen_new.words[i])
            printf("word %d: old %ld, new %ld\n", i, (long)seen_old.words[i], (long)seen_new.words[i]);
    for (int i = 0; i < block_count; i++)
        for (unsigned long j = 0; j < block_sizes[i]; j++)
            if (seen_old.blocks[i][j] != seen_new.blocks[i][j])
                printf("block %d at %lu: old %d, new %d\n", i, j, seen_old.blocks[i][j], seen_new.blocks[i][j]);
    if (seen_old.trace != seen_new.trace)
        printf("other calls of functions outside\n");
}

/*
 * The library that a captured build preloads: it writes one record for each
 * program that the build runs; preload_files.c, which follows this text when it
 * is compiled, writes one for each file that such a program opens.
 *
 * Two events are recorded of a program, because each sees what the other cannot:
 *   "exec"   just before a program is run by one of the exec and posix_spawn
 *            functions: sees statically linked programs too, and is where the
 *            preload settings are put back into a wiped environment;
 *   "start"  when this library is loaded into a program: sees programs that
 *            were run by a statically linked one or by a direct system call,
 *            and knows the directory a program really starts in.
 * The reader joins the two by token.
 *
 * Rules kept here:
 *   - A hook may run in the child of vfork, which shares its parent's memory:
 *     no malloc, no stdio, no lock; scratch memory is the stack, or pages that
 *     are given back before the exec.
 *   - A record is one write to a file opened for appending, so records of
 *     parallel processes do not mix.
 *   - Whatever fails here, the build goes on as if the library were not there:
 *     errno is restored, and the real function is always called.
 *
 * KNOCKON_LOG, KNOCKON_LIBRARY and KNOCKON_ROOT, the paths of the log, of this
 * library and of the tree whose files count, are defined in front of this text when it is compiled for one capture. They
 * are not taken from the environment, so they survive its wiping.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEP_VARIABLE "KNOCKON_CAPTURE_STEP="
#define PRELOAD_VARIABLE "LD_PRELOAD="
#define HOOK __attribute__((visibility("default")))

enum {
    TOKEN_SIZE = 64,
    STREAM_SIZE = PATH_MAX + 2,
    FRAME_HEADER_SIZE = 32,
    LONGEST_ENVIRONMENT = 32768,   /* entries; a longer one is passed on as it is */
    LARGEST_RESPONSE_FILE = 16 << 20,
    LARGEST_COMMAND_LINE = 8 << 20
};

extern char **environ;

static char own_token[TOKEN_SIZE];

/* Without the hook: what this library opens is none of the build's business. */
static int own_open(const char *path, int flags) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}
static unsigned int token_counter;

/* Environment variables that change what a compiler reads or a linker finds. */
static const char *const recorded_variables[] = {
    "CPATH=", "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH=", "LIBRARY_PATH=", NULL
};

static int starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static char *append_text(char *place, const char *text) {
    size_t length = strlen(text);
    memcpy(place, text, length);
    return place + length;
}

static char *append_number(char *place, unsigned long number) {
    char digits[24];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0)
        *place++ = digits[--count];
    return place;
}

/* A name for one program start: unique over process ids that are used again. */
static void make_token(char token[TOKEN_SIZE]) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    char *place = append_number(token, (unsigned long)getpid());
    *place++ = '.';
    place = append_number(place, (unsigned long)now.tv_sec);
    *place++ = '.';
    place = append_number(place, (unsigned long)now.tv_nsec);
    *place++ = '.';
    place = append_number(place, __atomic_add_fetch(&token_counter, 1, __ATOMIC_RELAXED));
    *place = 0;
}

static const char *variable(char *const environment[], const char *name_and_equals) {
    if (environment == NULL)
        return NULL;
    for (; *environment != NULL; environment++)
        if (starts_with(*environment, name_and_equals))
            return *environment + strlen(name_and_equals);
    return NULL;
}

/* ---- writing a record ------------------------------------------------- */

/* The size of a response file named by an argument `@file`, or -1. Only regular
   files: opening a FIFO would take data from the build. */
static long response_file_size(const char *argument) {
    struct stat status;
    if (argument[0] != '@' || argument[1] == 0)
        return -1;
    if (stat(argument + 1, &status) != 0 || !S_ISREG(status.st_mode))
        return -1;
    if (status.st_size < 0 || status.st_size > LARGEST_RESPONSE_FILE)
        return -1;
    return (long)status.st_size;
}

static char *append_response_file(char *place, const char *path, long size) {
    int file = own_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    long count = 0;
    if (file >= 0) {
        while (count < size) {
            long part = (long)read(file, place + count, (size_t)(size - count));
            if (part < 0 && errno == EINTR)
                continue;
            if (part <= 0)
                break;
            count += part;
        }
        close(file);
    }
    /* A compiler reads a response file as a C string: it ends at the first NUL. */
    char *end = memchr(place, 0, (size_t)count);
    return end != NULL ? end : place + count;
}

/* What a standard stream is connected to: `pNUMBER` for a pipe, `fPATH` for a
   file, nothing for what carries no data of the build. */
static char *append_stream(char *place, int stream) {
    struct stat status;
    if (fstat(stream, &status) == 0 && S_ISFIFO(status.st_mode)) {
        *place++ = 'p';
        place = append_number(place, (unsigned long)status.st_ino);
    } else if (fstat(stream, &status) == 0 && S_ISREG(status.st_mode)) {
        char link[32] = "/proc/self/fd/0";
        link[14] = (char)('0' + stream);
        long length = (long)readlink(link, place + 1, PATH_MAX - 1);
        if (length > 0) {
            *place = 'f';
            place += 1 + length;
        }
    }
    *place++ = 0;
    return place;
}

/* Appends a whole frame to the log. */
static void write_frame(const char *frame, size_t size) {
    int log = own_open(KNOCKON_LOG, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (log >= 0) {
        while (write(log, frame, size) < 0 && errno == EINTR) {
        }
        close(log);
    }
}

/*
 * A frame: "K1 LENGTH\n", then LENGTH bytes, fields that each end in NUL:
 *   event, token, parent token, directory, program,
 *   number of arguments, arguments, number of variables, NAME=VALUE ...,
 *   number of response files, then name and content of each; of a start, what
 *   the three standard streams are connected to.
 */
static void record(const char *event, const char *token, const char *parent,
                   const char *program, char *const arguments[], char *const environment[]) {
    int saved_errno = errno;
    size_t size = FRAME_HEADER_SIZE + strlen(event) + strlen(token) + strlen(parent)
                + PATH_MAX + strlen(program) + 5 + 3 * 24 + 3 * STREAM_SIZE;
    unsigned long argument_count = 0, variable_count = 0, response_count = 0;
    for (; arguments[argument_count] != NULL; argument_count++) {
        const char *argument = arguments[argument_count];
        size += strlen(argument) + 1;
        long response = response_file_size(argument);
        if (response >= 0)
            size += strlen(argument) + 2 + (size_t)response;
    }
    for (int i = 0; recorded_variables[i] != NULL; i++) {
        const char *value = variable(environment, recorded_variables[i]);
        if (value != NULL && *value != 0) {
            size += strlen(recorded_variables[i]) + strlen(value) + 1;
            variable_count++;
        }
    }

    char *buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) {
        errno = saved_errno;
        return;
    }
    char *payload = buffer + FRAME_HEADER_SIZE;
    char *place = payload;
    place = append_text(place, event) + 1;
    place = append_text(place, token) + 1;
    place = append_text(place, parent) + 1;
    if (getcwd(place, PATH_MAX) == NULL)
        *place = 0;
    place += strlen(place) + 1;
    place = append_text(place, program) + 1;
    place = append_number(place, argument_count) + 1;
    for (unsigned long i = 0; i < argument_count; i++)
        place = append_text(place, arguments[i]) + 1;
    place = append_number(place, variable_count) + 1;
    for (int i = 0; recorded_variables[i] != NULL; i++) {
        const char *value = variable(environment, recorded_variables[i]);
        if (value != NULL && *value != 0) {
            place = append_text(place, recorded_variables[i]);
            place = append_text(place, value) + 1;
        }
    }
    /* The sizes are asked for a second time here; a file that has grown since is
       cut at what is left of the buffer. */
    char *count_place = place;
    place += 24;
    for (unsigned long i = 0; i < argument_count; i++) {
        long response = response_file_size(arguments[i]);
        size_t left = (size_t)(buffer + size - 3 * STREAM_SIZE - place);
        size_t name_size = strlen(arguments[i]) + 1;
        if (response < 0 || left < name_size + 1)
            continue;
        if ((size_t)response > left - name_size - 1)
            response = (long)(left - name_size - 1);
        place = append_text(place, arguments[i] + 1) + 1;
        place = append_response_file(place, arguments[i] + 1, response);
        *place++ = 0;
        response_count++;
    }
    char *count_end = append_number(count_place, response_count) + 1;
    memmove(count_end, count_place + 24, (size_t)(place - (count_place + 24)));
    place -= (count_place + 24) - count_end;
    if (starts_with(event, "start"))
        for (int stream = 0; stream < 3; stream++)
            place = append_stream(place, stream);

    char header[FRAME_HEADER_SIZE];
    char *header_end = append_text(header, "K1 ");
    header_end = append_number(header_end, (unsigned long)(place - payload));
    *header_end++ = '\n';
    char *frame = payload - (header_end - header);
    memcpy(frame, header, (size_t)(header_end - header));

    write_frame(frame, (size_t)(place - frame));
    munmap(buffer, size);
    errno = saved_errno;
}

/* ---- the program that will run ---------------------------------------- */

static int is_program(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Finds `file` as execvp does. Shells try one directory after the other with
   execve: attempts that must fail are not recorded. */
static int find_program(const char *file, char found[PATH_MAX]) {
    size_t file_size = strlen(file) + 1;
    if (strchr(file, '/') != NULL) {
        if (file_size > PATH_MAX || !is_program(file))
            return 0;
        memcpy(found, file, file_size);
        return 1;
    }
    const char *path = variable(environ, "PATH=");
    if (path == NULL)
        path = "/bin:/usr/bin";
    for (;;) {
        const char *end = strchr(path, ':');
        size_t length = end != NULL ? (size_t)(end - path) : strlen(path);
        if (length + 2 + file_size <= PATH_MAX) {
            char *place = found;
            memcpy(place, path, length);
            place += length;
            if (length > 0)
                *place++ = '/';
            memcpy(place, file, file_size);
            if (is_program(found))
                return 1;
        }
        if (end == NULL)
            return 0;
        path = end + 1;
    }
}

/* Whether the program needs the shared AddressSanitizer runtime. That runtime
   stops a program in which another library was loaded first, so this library
   stays out of it. */
static int needs_address_sanitizer(const char *path) {
    int answer = 0;
    int file = own_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return 0;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)
        && (size_t)status.st_size > sizeof(ElfW(Ehdr))) {
        size_t size = (size_t)status.st_size;
        const char *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (image != MAP_FAILED) {
            const ElfW(Ehdr) *header = (const void *)image;
            size_t dynamic = 0, dynamic_size = 0, strings = 0;
            if (memcmp(header->e_ident, ELFMAG, SELFMAG) == 0
                && header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
                && header->e_phoff < size
                && header->e_phnum * sizeof(ElfW(Phdr)) <= size - header->e_phoff) {
                const ElfW(Phdr) *segments = (const void *)(image + header->e_phoff);
                for (int i = 0; i < header->e_phnum; i++)
                    if (segments[i].p_type == PT_DYNAMIC && segments[i].p_offset < size
                        && segments[i].p_filesz <= size - segments[i].p_offset) {
                        dynamic = segments[i].p_offset;
                        dynamic_size = segments[i].p_filesz;
                    }
                const ElfW(Dyn) *entries = (const void *)(image + dynamic);
                size_t count = dynamic_size / sizeof(ElfW(Dyn));
                for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
                    if (entries[i].d_tag == DT_STRTAB)
                        for (int s = 0; s < header->e_phnum; s++)
                            if (segments[s].p_type == PT_LOAD
                                && entries[i].d_un.d_ptr >= segments[s].p_vaddr
                                && entries[i].d_un.d_ptr - segments[s].p_vaddr < segments[s].p_filesz)
                                strings = entries[i].d_un.d_ptr - segments[s].p_vaddr
                                        + segments[s].p_offset;
                for (size_t i = 0; strings != 0 && i < count && entries[i].d_tag != DT_NULL; i++)
                    if (entries[i].d_tag == DT_NEEDED && strings < size
                        && entries[i].d_un.d_val < size - strings) {
                        const char *name = image + strings + entries[i].d_un.d_val;
                        size_t length = strnlen(name, size - strings - entries[i].d_un.d_val);
                        if (memmem(name, length, "libasan.so", 10) != NULL
                            || memmem(name, length, "libclang_rt.asan", 16) != NULL
                            || memmem(name, length, "libclang_rt.hwasan", 18) != NULL)
                            answer = 1;
                    }
            }
            munmap((void *)image, size);
        }
    }
    close(file);
    return answer;
}

/* ---- the environment that is handed on -------------------------------- */

static size_t environment_length(char *const environment[]) {
    size_t length = 0;
    if (environment != NULL)
        while (environment[length] != NULL)
            length++;
    return length;
}

/* Room for the preload variable: what is there, this library, a colon and a NUL. */
static size_t preload_size(char *const environment[]) {
    const char *others = variable(environment, PRELOAD_VARIABLE);
    return sizeof PRELOAD_VARIABLE + (others != NULL ? strlen(others) : 0) + 1
         + sizeof KNOCKON_LIBRARY;
}

/* Fills `result` (room for length + 3) with `environment`, this library
   preloaded behind whatever else is, and the token of the program to run. */
static void fill_environment(char **result, char *const environment[], size_t length,
                             char *preload, char *step, const char *token, int stay_out) {
    size_t count = 0;
    const char *others = NULL;
    for (size_t i = 0; i < length; i++) {
        if (starts_with(environment[i], STEP_VARIABLE))
            continue;
        if (starts_with(environment[i], PRELOAD_VARIABLE)) {
            if (others == NULL)
                others = environment[i] + strlen(PRELOAD_VARIABLE);
            continue;
        }
        result[count++] = environment[i];
    }

    /* Copies the other libraries, without this one if it is among them. */
    char *place = append_text(preload, PRELOAD_VARIABLE);
    char *first = place;
    size_t library_length = strlen(KNOCKON_LIBRARY);
    while (others != NULL && *others != 0) {
        size_t name = strcspn(others, ": ");
        if (name > 0 && !(name == library_length && memcmp(others, KNOCKON_LIBRARY, name) == 0)) {
            if (place != first)
                *place++ = ':';
            memcpy(place, others, name);
            place += name;
        }
        others += name;
        if (*others != 0)
            others++;
    }
    if (!stay_out) {
        if (place != first)
            *place++ = ':';
        place = append_text(place, KNOCKON_LIBRARY);
    }
    *place = 0;
    if (place != first)
        result[count++] = preload;

    *append_text(append_text(step, STEP_VARIABLE), token) = 0;
    result[count++] = step;
    result[count] = NULL;
}

/* Declares `passed`, the environment to hand on, after recording the run. Its
   storage is this function's stack frame, which is alive until the exec. */
#define PREPARE(program, arguments, environment)                                              \
    char token_[TOKEN_SIZE], step_[sizeof STEP_VARIABLE + TOKEN_SIZE];                        \
    char preload_[preload_size(environment)];                                                 \
    size_t length_ = environment_length(environment);                                         \
    int fits_ = length_ <= LONGEST_ENVIRONMENT;                                               \
    char *filled_[(fits_ ? length_ : 0) + 3];                                                 \
    char *const *passed = (environment);                                                      \
    if ((program) != NULL && (arguments) != NULL) {                                           \
        int errno_ = errno;                                                                   \
        make_token(token_);                                                                   \
        record("exec", token_, own_token, (program), (arguments), (environment));             \
        if (fits_) {                                                                          \
            fill_environment(filled_, (environment), length_, preload_, step_, token_,        \
                             needs_address_sanitizer(program));                               \
            passed = filled_;                                                                 \
        }                                                                                     \
        errno = errno_;                                                                       \
    }

typedef int execve_function(const char *, char *const[], char *const[]);
typedef int fexecve_function(int, char *const[], char *const[]);
typedef int execveat_function(int, const char *, char *const[], char *const[], int);
typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

static void find_real_file_functions(void);

static execve_function *real_execve, *real_execvpe;
static fexecve_function *real_fexecve;
static execveat_function *real_execveat;
static spawn_function *real_posix_spawn, *real_posix_spawnp;

static void find_real_functions(void) {
    real_execve = (execve_function *)dlsym(RTLD_NEXT, "execve");
    real_execvpe = (execve_function *)dlsym(RTLD_NEXT, "execvpe");
    real_fexecve = (fexecve_function *)dlsym(RTLD_NEXT, "fexecve");
    real_execveat = (execveat_function *)dlsym(RTLD_NEXT, "execveat");
    real_posix_spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
    real_posix_spawnp = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawnp");
}

/* A hook may be called by another library's constructor before ours has run. */
#define REAL(name)                                                                            \
    do {                                                                                      \
        if (real_##name == NULL)                                                              \
            find_real_functions();                                                            \
        if (real_##name == NULL) {                                                            \
            errno = ENOSYS;                                                                   \
            return -1;                                                                        \
        }                                                                                     \
    } while (0)

/* ---- the hooks -------------------------------------------------------- */

static int run_path(const char *path, char *const arguments[], char *const environment[]) {
    REAL(execve);
    const char *program = path != NULL && is_program(path) ? path : NULL;
    PREPARE(program, arguments, environment)
    return real_execve(path, arguments, passed);
}

static int run_file(const char *file, char *const arguments[], char *const environment[]) {
    REAL(execvpe);
    char found[PATH_MAX];
    const char *program = file != NULL && find_program(file, found) ? found : NULL;
    PREPARE(program, arguments, environment)
    return real_execvpe(file, arguments, passed);
}

HOOK int execve(const char *path, char *const arguments[], char *const environment[]) {
    return run_path(path, arguments, environment);
}

HOOK int execv(const char *path, char *const arguments[]) {
    return run_path(path, arguments, environ);
}

HOOK int execvpe(const char *file, char *const arguments[], char *const environment[]) {
    return run_file(file, arguments, environment);
}

HOOK int execvp(const char *file, char *const arguments[]) {
    return run_file(file, arguments, environ);
}

/* Declares `arguments`, the variable arguments up to their NULL, and leaves
   `list` behind that NULL. */
#define GATHER_ARGUMENTS(first)                                                               \
    va_list list;                                                                             \
    size_t count = 1;                                                                         \
    va_start(list, first);                                                                    \
    while (va_arg(list, const char *) != NULL)                                                \
        count++;                                                                              \
    va_end(list);                                                                             \
    char *arguments[count + 1];                                                               \
    va_start(list, first);                                                                    \
    arguments[0] = (char *)first;                                                             \
    for (size_t i = 1; i <= count; i++)                                                       \
        arguments[i] = va_arg(list, char *);

HOOK int execl(const char *path, const char *argument, ...) {
    GATHER_ARGUMENTS(argument)
    va_end(list);
    return run_path(path, arguments, environ);
}

HOOK int execlp(const char *file, const char *argument, ...) {
    GATHER_ARGUMENTS(argument)
    va_end(list);
    return run_file(file, arguments, environ);
}

HOOK int execle(const char *path, const char *argument, ...) {
    GATHER_ARGUMENTS(argument)
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return run_path(path, arguments, environment);
}

/* The path behind a file descriptor, followed by `/name` unless it is empty. */
static int descriptor_path(int descriptor, const char *name, char found[PATH_MAX]) {
    char link[48];
    *append_number(append_text(link, "/proc/self/fd/"), (unsigned long)descriptor) = 0;
    long length = (long)readlink(link, found, PATH_MAX - 1);
    if (length <= 0)
        return 0;
    found[length] = 0;
    if (*name != 0) {
        if ((size_t)length + strlen(name) + 2 > PATH_MAX)
            return 0;
        found[length++] = '/';
        *append_text(found + length, name) = 0;
    }
    return is_program(found);
}

HOOK int fexecve(int descriptor, char *const arguments[], char *const environment[]) {
    REAL(fexecve);
    char found[PATH_MAX];
    const char *program = descriptor >= 0 && descriptor_path(descriptor, "", found) ? found : NULL;
    PREPARE(program, arguments, environment)
    return real_fexecve(descriptor, arguments, passed);
}

HOOK int execveat(int directory, const char *path, char *const arguments[],
                  char *const environment[], int flags) {
    REAL(execveat);
    char found[PATH_MAX];
    const char *program = NULL;
    if (path != NULL) {
        if (path[0] == '/' || (directory == AT_FDCWD && path[0] != 0))
            program = is_program(path) ? path : NULL;
        else if (directory >= 0 && descriptor_path(directory, path, found))
            program = found;
    }
    PREPARE(program, arguments, environment)
    return real_execveat(directory, path, arguments, passed, flags);
}

HOOK int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes, char *const arguments[],
                     char *const environment[]) {
    if (real_posix_spawn == NULL)
        find_real_functions();
    if (real_posix_spawn == NULL)
        return ENOSYS;
    const char *program = path != NULL && is_program(path) ? path : NULL;
    PREPARE(program, arguments, environment)
    return real_posix_spawn(process, path, actions, attributes, arguments, passed);
}

HOOK int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attributes, char *const arguments[],
                      char *const environment[]) {
    if (real_posix_spawnp == NULL)
        find_real_functions();
    if (real_posix_spawnp == NULL)
        return ENOSYS;
    char found[PATH_MAX];
    const char *program = file != NULL && find_program(file, found) ? found : NULL;
    PREPARE(program, arguments, environment)
    return real_posix_spawnp(process, file, actions, attributes, arguments, passed);
}

/* ---- a program starts ------------------------------------------------- */

/* The kernel's copy of the command line: not every C library hands the
   arguments to constructors. */
__attribute__((constructor)) static void program_starts(void) {
    int saved_errno = errno;
    find_real_functions();
    find_real_file_functions();
    make_token(own_token);

    /* The kernel takes no more than 6 MB of arguments. */
    char *text = mmap(NULL, LARGEST_COMMAND_LINE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int file = own_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (text != MAP_FAILED && file >= 0) {
        size_t length = 0, count = 0;
        while (length < LARGEST_COMMAND_LINE - 1) {
            long part = (long)read(file, text + length, LARGEST_COMMAND_LINE - 1 - length);
            if (part < 0 && errno == EINTR)
                continue;
            if (part <= 0)
                break;
            length += (size_t)part;
        }
        for (size_t start = 0; start < length; start += strlen(text + start) + 1)
            count++;
        size_t list_size = (count + 1) * sizeof(char *);
        char **arguments = mmap(NULL, list_size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (count > 0 && arguments != MAP_FAILED) {
            size_t index = 0;
            for (size_t start = 0; start < length; start += strlen(text + start) + 1)
                arguments[index++] = text + start;
            char program[PATH_MAX];
            long program_length = (long)readlink("/proc/self/exe", program, sizeof program - 1);
            program[program_length > 0 ? program_length : 0] = 0;
            const char *inherited = variable(environ, STEP_VARIABLE);
            record("start", own_token, inherited != NULL ? inherited : "", program, arguments,
                   environ);
        }
        if (arguments != MAP_FAILED)
            munmap(arguments, list_size);
    }
    if (file >= 0)
        close(file);
    if (text != MAP_FAILED)
        munmap(text, LARGEST_COMMAND_LINE);
    errno = saved_errno;
}

/*
 * Which files below KNOCKON_ROOT a program opens: one record for each path and
 * way of opening, from each program once as far as a small table tells.
 *
 * A frame: "K1 LENGTH\n", then the fields "file", token, way, path and, of a
 * move, the second path. Ways:
 *   r  read             w  written from its beginning     a  written further
 *   u  both             m  moved or linked to the second  n  looked for in vain
 *
 * A path is told as the program names it, made absolute without asking the file
 * system, and as the system knows the open file where that is another path: the
 * program may come to the tree over a symbolic link.
 *
 * The rules of preload.c hold here, too. The table is only ever added to, by
 * one atomic operation: a handler, another thread or a child of vfork may do so
 * at the same time. Where it is full, a path is told more than once.
 */
#include <stdio.h>

enum { TABLE_SIZE = 1 << 14, PROBES = 16, FILE_FRAME_SIZE = 3 * PATH_MAX };

static unsigned long told[TABLE_SIZE];

/* The compiler proper looks for each header in many places. */
static int tells_what_is_missing;

/* Makes `path` absolute and leaves out `.`, `..` and double slashes. */
static int absolute_path(int directory, const char *path, char found[PATH_MAX]) {
    char whole[2 * PATH_MAX];
    size_t length = 0;
    size_t path_length = strlen(path);
    if (path_length == 0 || path_length >= PATH_MAX - 1)
        return 0;
    if (path[0] != '/') {
        if (directory == AT_FDCWD) {
            if (getcwd(whole, PATH_MAX) == NULL)
                return 0;
            length = strlen(whole);
        } else {
            char link[48];
            *append_number(append_text(link, "/proc/self/fd/"), (unsigned long)directory) = 0;
            long count = (long)readlink(link, whole, PATH_MAX - 1);
            if (count <= 0)
                return 0;
            length = (size_t)count;
        }
        whole[length++] = '/';
    }
    memcpy(whole + length, path, path_length + 1);
    size_t count = 0;
    for (const char *part = whole; *part != 0;) {
        size_t size = strcspn(part, "/");
        if (size == 2 && part[0] == '.' && part[1] == '.') {
            while (count > 0 && found[--count] != '/') {
            }
        } else if (size > 0 && !(size == 1 && part[0] == '.')) {
            if (count + size + 2 > PATH_MAX)
                return 0;
            found[count++] = '/';
            memcpy(found + count, part, size);
            count += size;
        }
        part += size;
        while (*part == '/')
            part++;
    }
    found[count] = 0;
    return count > 0;
}

/* Below the root, and not what git and this program keep there. */
static int is_of_interest(const char *path) {
    size_t root = sizeof KNOCKON_ROOT - 1;
    if (!starts_with(path, KNOCKON_ROOT) || path[root] != '/')
        return 0;
    path += root + 1;
    return !starts_with(path, ".git/") && !starts_with(path, ".knockon/");
}

/* Whether this is the first time. */
static int is_new(char way, const char *path, const char *second) {
    unsigned long hash = 1469598103934665603u ^ (unsigned char)way;
    for (; *path != 0; path++)
        hash = (hash ^ (unsigned char)*path) * 1099511628211u;
    for (; *second != 0; second++)
        hash = (hash ^ (unsigned char)*second) * 1099511628211u;
    hash |= 1;
    for (unsigned int probe = 0; probe < PROBES; probe++) {
        unsigned long *slot = &told[((hash >> 8) + probe) % TABLE_SIZE];
        unsigned long known = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (known == 0
            && __atomic_compare_exchange_n(slot, &known, hash, 0, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED))
            return 1;
        if (known == hash)
            return 0;
    }
    return 1;
}

static void tell(char way, const char *path, const char *second) {
    /* What is written may have been read in between: the order counts. */
    if ((way == 'r' || way == 'n') && !is_new(way, path, second))
        return;
    char frame[FRAME_HEADER_SIZE + FILE_FRAME_SIZE];
    char *payload = frame + FRAME_HEADER_SIZE;
    char *place = append_text(payload, "file");
    *place++ = 0;
    place = append_text(place, own_token);
    *place++ = 0;
    *place++ = way;
    *place++ = 0;
    place = append_text(place, path);
    *place++ = 0;
    place = append_text(place, second);
    *place++ = 0;
    char header[FRAME_HEADER_SIZE];
    char *header_end = append_number(append_text(header, "K1 "), (unsigned long)(place - payload));
    *header_end++ = '\n';
    char *start = payload - (header_end - header);
    memcpy(start, header, (size_t)(header_end - header));
    write_frame(start, (size_t)(place - start));
}

/* Directories in which no tree is built: nothing is asked for a file in them. */
static int is_of_the_system(const char *path) {
    static const char *const directories[] = {
        "/usr/", "/lib", "/etc/", "/proc/", "/dev/", "/sys/", "/bin/", "/sbin/", NULL
    };
    for (int i = 0; directories[i] != NULL; i++)
        if (starts_with(path, directories[i]) && !starts_with(KNOCKON_ROOT, directories[i]))
            return 1;
    return 0;
}

/* Tells of a file that was opened as `descriptor`, or could not be. */
static void opened(int directory, const char *path, char way, int descriptor) {
    int saved_errno = errno;
    if (path == NULL || own_token[0] == 0 || is_of_the_system(path))
        return;
    if (descriptor < 0) {
        int is_missing = errno == ENOENT || errno == ENOTDIR;
        if (!is_missing || !tells_what_is_missing || (way != 'r' && way != 'u'))
            return;
        way = 'n';
    }
    char named[PATH_MAX];
    int has_name = absolute_path(directory, path, named);
    if (has_name && is_of_interest(named))
        tell(way, named, "");
    if (descriptor >= 0) {
        char link[48], real[PATH_MAX];
        *append_number(append_text(link, "/proc/self/fd/"), (unsigned long)descriptor) = 0;
        long length = (long)readlink(link, real, PATH_MAX - 1);
        if (length > 0) {
            real[length] = 0;
            if (is_of_interest(real) && !(has_name && strcmp(real, named) == 0))
                tell(way, real, "");
        }
    }
    errno = saved_errno;
}

static void moved(int from_directory, const char *from, int to_directory, const char *to) {
    int saved_errno = errno;
    char source[PATH_MAX], target[PATH_MAX];
    if (from != NULL && to != NULL && own_token[0] != 0
        && absolute_path(from_directory, from, source) && absolute_path(to_directory, to, target)
        && is_of_interest(target))
        tell('m', source, target);
    errno = saved_errno;
}

static char way_of_flags(int flags) {
    int access = flags & O_ACCMODE;
    if (access == O_RDONLY)
        return 'r';
    if (flags & (O_TRUNC | O_EXCL))
        return 'w';
    return access == O_RDWR ? 'u' : 'a';
}

static char way_of_mode(const char *mode) {
    int both = strchr(mode, '+') != NULL;
    if (mode[0] == 'w')
        return 'w';
    if (mode[0] == 'a')
        return both ? 'u' : 'a';
    return both ? 'u' : 'r';
}

/* ---- the hooks -------------------------------------------------------- */

#undef open64
#undef openat64
#undef creat64
#undef fopen64
#undef freopen64
#undef mkstemp64
#undef mkostemp64
#undef mkstemps64
#undef mkostemps64

#define FILE_FUNCTIONS(each)                                                                  \
    each(open) each(open64) each(openat) each(openat64) each(__open_2) each(__open64_2)       \
    each(__openat_2) each(__openat64_2) each(creat) each(creat64) each(fopen) each(fopen64)   \
    each(freopen) each(freopen64) each(rename) each(renameat) each(renameat2) each(link)      \
    each(linkat) each(symlink) each(symlinkat) each(mkstemp) each(mkstemp64) each(mkostemp)   \
    each(mkostemp64) each(mkstemps) each(mkstemps64) each(mkostemps) each(mkostemps64)

#define DECLARE(name) static void *real_##name;
FILE_FUNCTIONS(DECLARE)

static void find_real_file_functions(void) {
#define FIND(name) real_##name = dlsym(RTLD_NEXT, #name);
    FILE_FUNCTIONS(FIND)
    char program[PATH_MAX];
    long length = (long)readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    const char *name = strrchr(program, '/');
    name = name != NULL ? name + 1 : program;
    tells_what_is_missing = !starts_with(name, "cc1") && !starts_with(name, "clang")
                         && strstr(name, "-ld") == NULL && !starts_with(name, "ld")
                         && !starts_with(name, "collect2");
}

/* The number of permission bits that follow the flags, if any do. */
#define PERMISSIONS(flags)                                                                    \
    mode_t permissions = 0;                                                                   \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                  \
        va_list list;                                                                         \
        va_start(list, flags);                                                                \
        permissions = (mode_t)va_arg(list, int);                                              \
        va_end(list);                                                                         \
    }

/* Before this library is ready the system is called directly. */
static int opened_by(void *real, int directory, const char *path, int flags, mode_t permissions,
                     int has_directory) {
    int descriptor;
    if (real == NULL)
        descriptor = (int)syscall(SYS_openat, directory, path, flags, permissions);
    else if (has_directory)
        descriptor = ((int (*)(int, const char *, int, ...))real)(directory, path, flags,
                                                                  permissions);
    else
        descriptor = ((int (*)(const char *, int, ...))real)(path, flags, permissions);
    if (!(flags & O_DIRECTORY))
        opened(directory, path, way_of_flags(flags), descriptor);
    return descriptor;
}

#define HOOK_OPEN(name)                                                                       \
    HOOK int name(const char *path, int flags, ...) {                                         \
        PERMISSIONS(flags)                                                                    \
        return opened_by(real_##name, AT_FDCWD, path, flags, permissions, 0);                 \
    }
#define HOOK_OPENAT(name)                                                                     \
    HOOK int name(int directory, const char *path, int flags, ...) {                          \
        PERMISSIONS(flags)                                                                    \
        return opened_by(real_##name, directory, path, flags, permissions, 1);                \
    }
HOOK_OPEN(open)
HOOK_OPEN(open64)
HOOK_OPENAT(openat)
HOOK_OPENAT(openat64)

HOOK int __open_2(const char *path, int flags) {
    return opened_by(real___open_2, AT_FDCWD, path, flags, 0, 0);
}

HOOK int __open64_2(const char *path, int flags) {
    return opened_by(real___open64_2, AT_FDCWD, path, flags, 0, 0);
}

HOOK int __openat_2(int directory, const char *path, int flags) {
    return opened_by(real___openat_2, directory, path, flags, 0, 1);
}

HOOK int __openat64_2(int directory, const char *path, int flags) {
    return opened_by(real___openat64_2, directory, path, flags, 0, 1);
}

HOOK int creat(const char *path, mode_t permissions) {
    return opened_by(NULL, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, permissions, 0);
}

HOOK int creat64(const char *path, mode_t permissions) {
    return creat(path, permissions);
}

/* Declares `name_`, the real function, or leaves with what says that it failed. */
#define REAL_FILE(function, type, failed)                                                     \
    type *function##_ = (type *)real_##function;                                              \
    if (function##_ == NULL)                                                                  \
        function##_ = (type *)(real_##function = dlsym(RTLD_NEXT, #function));                \
    if (function##_ == NULL) {                                                                \
        errno = ENOSYS;                                                                       \
        return failed;                                                                        \
    }

typedef FILE *fopen_function(const char *, const char *);
typedef FILE *freopen_function(const char *, const char *, FILE *);

#define HOOK_FOPEN(name)                                                                      \
    HOOK FILE *name(const char *path, const char *mode) {                                     \
        REAL_FILE(name, fopen_function, NULL)                                                 \
        FILE *file = name##_(path, mode);                                                     \
        opened(AT_FDCWD, path, way_of_mode(mode), file != NULL ? fileno(file) : -1);          \
        return file;                                                                          \
    }
#define HOOK_FREOPEN(name)                                                                    \
    HOOK FILE *name(const char *path, const char *mode, FILE *stream) {                       \
        REAL_FILE(name, freopen_function, NULL)                                               \
        FILE *file = name##_(path, mode, stream);                                             \
        opened(AT_FDCWD, path, way_of_mode(mode), file != NULL ? fileno(file) : -1);          \
        return file;                                                                          \
    }
HOOK_FOPEN(fopen)
HOOK_FOPEN(fopen64)
HOOK_FREOPEN(freopen)
HOOK_FREOPEN(freopen64)

typedef int two_paths_function(const char *, const char *);
typedef int renameat_function(int, const char *, int, const char *);
typedef int renameat2_function(int, const char *, int, const char *, unsigned int);
typedef int linkat_function(int, const char *, int, const char *, int);
typedef int symlinkat_function(const char *, int, const char *);

HOOK int rename(const char *from, const char *to) {
    REAL_FILE(rename, two_paths_function, -1)
    int result = rename_(from, to);
    if (result == 0)
        moved(AT_FDCWD, from, AT_FDCWD, to);
    return result;
}

HOOK int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    REAL_FILE(renameat, renameat_function, -1)
    int result = renameat_(from_directory, from, to_directory, to);
    if (result == 0)
        moved(from_directory, from, to_directory, to);
    return result;
}

HOOK int renameat2(int from_directory, const char *from, int to_directory, const char *to,
                   unsigned int flags) {
    REAL_FILE(renameat2, renameat2_function, -1)
    int result = renameat2_(from_directory, from, to_directory, to, flags);
    if (result == 0)
        moved(from_directory, from, to_directory, to);
    return result;
}

HOOK int link(const char *from, const char *to) {
    REAL_FILE(link, two_paths_function, -1)
    int result = link_(from, to);
    if (result == 0)
        moved(AT_FDCWD, from, AT_FDCWD, to);
    return result;
}

HOOK int linkat(int from_directory, const char *from, int to_directory, const char *to,
                int flags) {
    REAL_FILE(linkat, linkat_function, -1)
    int result = linkat_(from_directory, from, to_directory, to, flags);
    if (result == 0)
        moved(from_directory, from, to_directory, to);
    return result;
}

/* What a symbolic link leads to is told when it is opened. */
static void linked(int directory, const char *path) {
    int saved_errno = errno;
    char named[PATH_MAX];
    if (path != NULL && own_token[0] != 0 && absolute_path(directory, path, named)
        && is_of_interest(named))
        tell('w', named, "");
    errno = saved_errno;
}

HOOK int symlink(const char *target, const char *path) {
    REAL_FILE(symlink, two_paths_function, -1)
    int result = symlink_(target, path);
    if (result == 0)
        linked(AT_FDCWD, path);
    return result;
}

HOOK int symlinkat(const char *target, int directory, const char *path) {
    REAL_FILE(symlinkat, symlinkat_function, -1)
    int result = symlinkat_(target, directory, path);
    if (result == 0)
        linked(directory, path);
    return result;
}

typedef int mkstemp_function(char *);
typedef int mkostemp_function(char *, int);
typedef int mkostemps_function(char *, int, int);

#define HOOK_TEMPORARY(name, type, parameters, arguments)                                     \
    HOOK int name parameters {                                                                \
        REAL_FILE(name, type, -1)                                                             \
        int descriptor = name##_ arguments;                                                   \
        if (descriptor >= 0)                                                                  \
            opened(AT_FDCWD, path, 'w', descriptor);                                          \
        return descriptor;                                                                    \
    }
HOOK_TEMPORARY(mkstemp, mkstemp_function, (char *path), (path))
HOOK_TEMPORARY(mkstemp64, mkstemp_function, (char *path), (path))
HOOK_TEMPORARY(mkostemp, mkostemp_function, (char *path, int flags), (path, flags))
HOOK_TEMPORARY(mkostemp64, mkostemp_function, (char *path, int flags), (path, flags))
HOOK_TEMPORARY(mkstemps, mkostemp_function, (char *path, int suffix), (path, suffix))
HOOK_TEMPORARY(mkstemps64, mkostemp_function, (char *path, int suffix), (path, suffix))
HOOK_TEMPORARY(mkostemps, mkostemps_function, (char *path, int suffix, int flags),
               (path, suffix, flags))
HOOK_TEMPORARY(mkostemps64, mkostemps_function, (char *path, int suffix, int flags),
               (path, suffix, flags))

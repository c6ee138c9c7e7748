/* A file system that refuses: preloaded, it fails the n-th call on a file below one folder, once or from then on.
 *
 * Counted are the calls that change something or need a descriptor: open, write, fsync, ftruncate, rename, unlink,
 * mkdir. PASTWORK_REFUSE names the folder; refuse_arm(n, error, ever) sets the trap, refuse_calls() counts. An error
 * of -1 ends the process on the spot, as a power switch does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define MOST 4096
static char ours[MOST];
static long calls, trap;
static int error_of, ever;

void refuse_arm(long n, int error, int from_then_on) {
    calls = 0;
    error_of = error;
    ever = from_then_on;
    trap = n;
}

long refuse_calls(void) { return calls; }

/* Whether this call, on one of our files, fails. */
static int refused(void) {
    long now = __sync_add_and_fetch(&calls, 1);
    if (!trap || (ever ? now < trap : now != trap)) return 0;
    if (error_of < 0) kill(getpid(), SIGKILL);
    errno = error_of;
    return 1;
}

static int below(const char *path) {
    const char *folder = getenv("PASTWORK_REFUSE");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int held(int fd) { return fd >= 0 && fd < MOST && ours[fd]; }

static int opened(int fd) {
    if (fd >= 0 && fd < MOST) ours[fd] = 1;
    return fd;
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (!below(path)) return real(path, flags, mode); \
        return refused() ? -1 : opened(real(path, flags, mode)); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(int, #name, int, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (!below(path)) return real(at, path, flags, mode); \
        return refused() ? -1 : opened(real(at, path, flags, mode)); \
    }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
    REAL(int, "close", int);
    if (fd >= 0 && fd < MOST) ours[fd] = 0;
    return real(fd);
}

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return held(fd) && refused() ? -1 : real(fd, data, size);
}

#define PWRITE(name, offset_t) \
    ssize_t name(int fd, const void *data, size_t size, offset_t at) { \
        REAL(ssize_t, #name, int, const void *, size_t, offset_t); \
        return held(fd) && refused() ? -1 : real(fd, data, size, at); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define SYNC(name) \
    int name(int fd) { \
        REAL(int, #name, int); \
        return held(fd) && refused() ? -1 : real(fd); \
    }
SYNC(fsync)
SYNC(fdatasync)

#define CUT(name, offset_t) \
    int name(int fd, offset_t size) { \
        REAL(int, #name, int, offset_t); \
        return held(fd) && refused() ? -1 : real(fd, size); \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    return below(to) && refused() ? -1 : real(from, to);
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    return below(path) && refused() ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    return below(path) && refused() ? -1 : real(path, mode);
}

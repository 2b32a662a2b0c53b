/* A library for LD_PRELOAD: the CIVITA_FAULT_AT-th call of CIVITA_FAULT (open, write, rename, fsync, mmap,
 * thread, malloc) fails, and with CIVITA_FAULT_ON=1 every later one too. CIVITA_FAULT=disk is what needs room
 * beneath the folder CIVITA_FAULT_UNDER: writes, new files and new folders. At exit the number of calls is
 * written to CIVITA_FAULT_COUNT, if that is set. Only calls of the process that was started are counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at = -1;
static int fails_on, is_ready;
static char kind[16];
static char under[4096];

__attribute__((constructor)) static void start(void) {
  const char* name = getenv("CIVITA_FAULT");
  const char* at = getenv("CIVITA_FAULT_AT");
  const char* folder = getenv("CIVITA_FAULT_UNDER");
  if (name) strncpy(kind, name, sizeof kind - 1);
  if (folder) strncpy(under, folder, sizeof under - 1);
  if (at) fail_at = atol(at);
  fails_on = getenv("CIVITA_FAULT_ON") != NULL;
  is_ready = 1;
}

__attribute__((destructor)) static void end(void) {
  const char* file = getenv("CIVITA_FAULT_COUNT");
  is_ready = 0;
  if (!file) return;
  FILE* out = fopen(file, "w");
  if (!out) return;
  fprintf(out, "%ld\n", atomic_load(&calls));
  fclose(out);
}

static int fails(const char* name) {
  if (!is_ready || strcmp(kind, name) != 0) return 0;
  const long call = atomic_fetch_add(&calls, 1);
  return fails_on ? fail_at >= 0 && call >= fail_at : call == fail_at;
}

static int is_under(const char* path) {
  const size_t length = strlen(under);
  return length > 0 && strncmp(path, under, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Whether a file has no room for what is written to it. */
static int is_full(int file) {
  if (!is_ready || under[0] == 0) return 0;
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return is_under(path) && fails("disk");
}

/* Whether a name that is not there yet has no room in its folder. */
static int is_full_for(const char* name) {
  if (!is_ready || under[0] == 0 || access(name, F_OK) == 0) return 0;
  char path[8192] = "";
  if (name[0] != '/') {
    if (!getcwd(path, sizeof path / 2)) return 0;
    strcat(path, "/");
  }
  strncat(path, name, sizeof path / 2 - 1);
  return is_under(path) && fails("disk");
}

#define NEXT(type, name) \
  static type next;      \
  if (!next) next = (type)dlsym(RTLD_NEXT, name)

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                              \
  int name(const char* path, int flags, ...) {  \
    typedef int (*type)(const char*, int, ...); \
    NEXT(type, #name);                          \
    va_list arguments;                          \
    va_start(arguments, flags);                 \
    const mode_t mode = mode_of(flags, arguments); \
    va_end(arguments);                          \
    if (fails("open")) return errno = EMFILE, -1; \
    if (flags & O_CREAT && is_full_for(path)) return errno = ENOSPC, -1; \
    return next(path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                \
  int name(int at, const char* path, int flags, ...) { \
    typedef int (*type)(int, const char*, int, ...); \
    NEXT(type, #name);                              \
    va_list arguments;                              \
    va_start(arguments, flags);                     \
    const mode_t mode = mode_of(flags, arguments);  \
    va_end(arguments);                              \
    if (fails("open")) return errno = EMFILE, -1;   \
    if (at == AT_FDCWD && flags & O_CREAT && is_full_for(path)) return errno = ENOSPC, -1; \
    return next(at, path, flags, mode);             \
  }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                \
  FILE* name(const char* path, const char* mode) { \
    typedef FILE* (*type)(const char*, const char*); \
    NEXT(type, #name);                             \
    if (fails("open")) return errno = EMFILE, NULL; \
    if (mode[0] != 'r' && is_full_for(path)) return errno = ENOSPC, NULL; \
    return next(path, mode);                       \
  }
FOPEN(fopen)
FOPEN(fopen64)

ssize_t write(int file, const void* data, size_t size) {
  typedef ssize_t (*type)(int, const void*, size_t);
  NEXT(type, "write");
  if (file > 2 && (fails("write") || is_full(file))) return errno = ENOSPC, -1;
  return next(file, data, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  typedef ssize_t (*type)(int, const struct iovec*, int);
  NEXT(type, "writev");
  if (file > 2 && (fails("write") || is_full(file))) return errno = ENOSPC, -1;
  return next(file, parts, count);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  typedef ssize_t (*type)(int, const void*, size_t, off_t);
  NEXT(type, "pwrite");
  if (file > 2 && (fails("write") || is_full(file))) return errno = ENOSPC, -1;
  return next(file, data, size, offset);
}

int mkdir(const char* path, mode_t mode) {
  typedef int (*type)(const char*, mode_t);
  NEXT(type, "mkdir");
  if (is_full_for(path)) return errno = ENOSPC, -1;
  return next(path, mode);
}

int rename(const char* from, const char* to) {
  typedef int (*type)(const char*, const char*);
  NEXT(type, "rename");
  if (fails("rename")) return errno = EACCES, -1;
  return next(from, to);
}

int fsync(int file) {
  typedef int (*type)(int);
  NEXT(type, "fsync");
  if (fails("fsync")) return errno = EIO, -1;
  return next(file);
}

#define MMAP(name, offset_type)                                                             \
  void* name(void* address, size_t size, int protection, int flags, int file, offset_type offset) { \
    typedef void* (*type)(void*, size_t, int, int, int, offset_type);                       \
    NEXT(type, #name);                                                                      \
    if (fails("mmap")) return errno = ENOMEM, MAP_FAILED;                                   \
    return next(address, size, protection, flags, file, offset);                            \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  typedef int (*type)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  NEXT(type, "pthread_create");
  if (fails("thread")) return EAGAIN;
  return next(thread, attributes, run, argument);
}

/* glibc's own names: dlsym allocates. */
extern void* __libc_malloc(size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  if (fails("malloc")) return errno = ENOMEM, NULL;
  return __libc_malloc(size);
}
void* realloc(void* old, size_t size) {
  if (fails("malloc")) return errno = ENOMEM, NULL;
  return __libc_realloc(old, size);
}
void* calloc(size_t count, size_t size) {
  if (fails("malloc")) return errno = ENOMEM, NULL;
  return __libc_calloc(count, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  if (fails("malloc")) return errno = ENOMEM, NULL;
  return __libc_memalign(alignment, size);
}

/* check.c - see check.h. /proc is read without stdio and without memory of its own.
 * SPDX-License-Identifier: MIT
 */
#include "engine/world/check.h"

#include "engine/world/heap.h"
#include "engine/world/memory.h"
#include "engine/world/spans.h"

#include <dirent.h>
#include <fcntl.h>
#include <sennit/test.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As getdents64 writes it. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

/* ---- before anything is saved -----------------------------------------------------------------
 */

/* Present if the program is built with one of them. */
__attribute__((weak)) void __asan_init(void);
__attribute__((weak)) void __tsan_init(void);
__attribute__((weak)) void __msan_init(void);
__attribute__((weak)) void __hwasan_init(void);

static const char *sanitizer(void)
{
    if (__asan_init != NULL)
        return "AddressSanitizer";
    if (__tsan_init != NULL)
        return "ThreadSanitizer";
    if (__msan_init != NULL)
        return "MemorySanitizer";
    if (__hwasan_init != NULL)
        return "HWAddressSanitizer";
    return NULL;
}

/* The program's and libc's calls both reach our malloc. */
static bool malloc_is_ours(void)
{
    /* volatile: or the compiler removes the pair of calls. */
    void *volatile ours = malloc(1);
    char *volatile libcs = strdup("x");
    bool yes = heap_holds(ours) && heap_holds(libcs);

    free(ours);
    free(libcs);
    return yes;
}

int check_process(struct err *why)
{
    if (sanitizer() != NULL)
        return err_set(why, SN_ESYSTEM, "%s keeps its own record of the program's memory",
                       sanitizer());
    if (memory_on_valgrind())
        return err_set(why, SN_ESYSTEM, "valgrind has replaced malloc");
    if (!heap_init())
        return err_set(why, SN_ENOMEM, "there is no address space for the program's heap");
    if (!malloc_is_ours())
        return err_set(why, SN_ESYSTEM, "another malloc than Sennit's is in use");
    return 0;
}

/* ---- reading /proc -------------------------------------------------------------------------- */

/* Calls `each` with every number that is a name in the directory, until it returns false. */
static void each_number(const char *path, bool (*each)(void *self, int number), void *self)
{
    _Alignas(struct entry) char buffer[4096];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool more = true;
    long n = 0;

    if (fd < 0)
        return;
    while (more && (n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
        for (long at = 0; more && at < n;) {
            const struct entry *e = (const struct entry *)(const void *)(buffer + at);
            char *end = NULL;
            long number = strtol(e->name, &end, 10);

            if (end != e->name && *end == '\0' && number != fd)
                more = each(self, (int)number);
            at += e->size;
        }
    }
    (void)close(fd);
}

static bool count_one(void *self, int number)
{
    (void)number;
    ++*(uint32_t *)self;
    return true;
}

uint32_t check_threads(void)
{
    uint32_t n = 0;

    each_number("/proc/self/task", count_one, &n);
    return n;
}

static const char *path_of(int fd, char *out, size_t size)
{
    char link[64];
    ssize_t n;
    struct err text;

    (void)err_set(&text, 0, "/proc/self/fd/%d", fd);
    memcpy(link, text.text, sizeof(link));
    n = readlink(link, out, size - 1);
    if (n < 0)
        return "?";
    out[n] = '\0';
    return out;
}

struct mapping {
    uintptr_t start;
    uintptr_t end;
    const char *line;
};

/* The region is the world's, and stacks and the old heap grow by themselves. */
static bool is_counted(const struct mapping *m)
{
    const struct heap_root *heap = &world_root.heap;

    if (m->start >= (uintptr_t)heap->base && m->start < (uintptr_t)heap->end)
        return false;
    return strstr(m->line, "[stack]") == NULL && strstr(m->line, "[heap]") == NULL;
}

/* Calls `each` for every mapping that counts, in order, until it returns false. A line of
 * /proc/self/maps is "start-end flags offset device inode path". */
static void each_mapping(bool (*each)(void *self, const struct mapping *m), void *self)
{
    char buffer[8192];
    size_t used = 0;
    ssize_t n;
    bool more = true;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    while (more && (n = read(fd, buffer + used, sizeof(buffer) - 1 - used)) > 0) {
        char *line = buffer;
        char *newline;

        used += (size_t)n;
        buffer[used] = '\0';
        while (more && (newline = strchr(line, '\n')) != NULL) {
            char *after = NULL;
            struct mapping m = {.start = strtoul(line, &after, 16), .line = line};

            *newline = '\0';
            m.end = *after == '-' ? strtoul(after + 1, NULL, 16) : m.start;
            if (is_counted(&m))
                more = each(self, &m);
            line = newline + 1;
        }
        used -= (size_t)(line - buffer);
        memmove(buffer, line, used);
    }
    (void)close(fd);
}

/* ---- the state ------------------------------------------------------------------------------ */

static struct check_fd describe(int fd)
{
    struct check_fd d = {.fd = fd, .offset = -1};
    struct stat st;
    int flags = fcntl(fd, F_GETFL);

    if (fstat(fd, &st) == 0) {
        d.device = (uint64_t)st.st_dev;
        d.file = (uint64_t)st.st_ino;
    }
    /* The offset of what is written moves with each line of output: no concern of ours. */
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY &&
        (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
        d.offset = lseek(fd, 0, SEEK_CUR);
    return d;
}

static bool note_fd(void *self, int fd)
{
    struct check *check = self;

    if (check->fds_count == CHECK_FDS_MOST)
        return false;
    check->fds[check->fds_count++] = describe(fd);
    return true;
}

static bool note_mapping(void *self, const struct mapping *m)
{
    struct check *check = self;

    if (check->maps_count == CHECK_MAPS_MOST)
        return false;
    check->maps[check->maps_count++] = m->end;
    check->maps_bytes += m->end - m->start;
    return true;
}

void check_init(struct check *check)
{
    check->loads = spans_loads();
    check->was_single = __libc_single_threaded != 0;
    check->fds_count = 0;
    check->maps_count = 0;
    check->maps_bytes = 0;
    each_number("/proc/self/fd", note_fd, check);
    each_mapping(note_mapping, check);
}

/* ---- comparing ------------------------------------------------------------------------------ */

int check_quick(const struct check *check, struct err *why)
{
    if (check->was_single && !__libc_single_threaded)
        return err_set(why, CHECK_THREAD, "the trial started a thread");
    if (world_root.heap.has_guests)
        return err_set(why, CHECK_THREAD, "a thread other than the test's allocated memory");
    if (spans_loads() != check->loads)
        return err_set(why, CHECK_LOADED,
                       "the trial loaded or unloaded a shared object (dlopen, iconv, ...)");
    return 0;
}

struct compare {
    const struct check *check;
    struct err *why;
    uint32_t seen;  /* descriptors, mappings that were there before */
    uint64_t bytes; /* of mappings */
    int found;
};

static const struct check_fd *known_fd(const struct check *check, int fd)
{
    for (uint32_t i = 0; i < check->fds_count; i++) {
        if (check->fds[i].fd == fd)
            return &check->fds[i];
    }
    return NULL;
}

static bool compare_fd(void *self, int fd)
{
    struct compare *c = self;
    const struct check_fd *old = known_fd(c->check, fd);
    struct check_fd now = describe(fd);
    char path[256];

    if (old == NULL && c->check->fds_count == CHECK_FDS_MOST)
        return false; /* too many to know them all */
    if (old == NULL)
        c->found =
            err_set(c->why, CHECK_OPENED, "a trial opened descriptor %d (%s) and did not close it",
                    fd, path_of(fd, path, sizeof(path)));
    else if (old->device != now.device || old->file != now.file)
        c->found = err_set(c->why, CHECK_CLOSED, "a trial replaced descriptor %d (now %s)", fd,
                           path_of(fd, path, sizeof(path)));
    else if (old->offset >= 0 && old->offset != now.offset)
        c->found =
            err_set(c->why, CHECK_MOVED, "a trial read from descriptor %d (%s), whose offset stays",
                    fd, path_of(fd, path, sizeof(path)));
    c->seen += old != NULL;
    return c->found == 0;
}

static bool compare_mapping(void *self, const struct mapping *m)
{
    struct compare *c = self;
    const struct check *check = c->check;

    c->bytes += m->end - m->start;
    while (c->seen < check->maps_count && check->maps[c->seen] < m->end)
        c->seen++;
    if (c->seen < check->maps_count && check->maps[c->seen] == m->end)
        return true;
    if (c->found == 0)
        c->found = err_set(c->why, CHECK_MAPPED, "a trial made a mapping and left it: %s", m->line);
    return true;
}

int check_full(const struct check *check, struct err *why)
{
    struct compare fds = {.check = check, .why = why};
    struct compare maps = {.check = check, .why = why};
    uint32_t threads = check_threads();
    int left = check_quick(check, why);

    if (left != 0)
        return left;
    if (threads > 1)
        return err_set(why, CHECK_THREAD, "the process has %u threads", threads);
    each_number("/proc/self/fd", compare_fd, &fds);
    if (fds.found != 0)
        return fds.found;
    if (fds.seen < check->fds_count && check->fds_count < CHECK_FDS_MOST)
        return err_set(why, CHECK_CLOSED, "a trial closed a descriptor that was open before it");
    if (check->maps_count == CHECK_MAPS_MOST)
        return 0; /* too many to know them all */
    each_mapping(compare_mapping, &maps);
    /* The kernel may have joined a new one to an old one. */
    if (maps.found == 0 && maps.bytes > check->maps_bytes)
        return err_set(why, CHECK_MAPPED, "a trial made mappings of %llu bytes and left them",
                       (unsigned long long)(maps.bytes - check->maps_bytes));
    return maps.found;
}

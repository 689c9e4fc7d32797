/* track.c - see track.h. The constants are the kernel's; Debian 12's headers are older than they.
 * SPDX-License-Identifier: MIT
 */
#include "engine/world/track.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sennit/test.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define USER_MODE_ONLY 1
#define FEATURE_WP (UINT64_C(1) << 0)
#define FEATURE_WP_UNPOPULATED (UINT64_C(1) << 13)
#define FEATURE_WP_ASYNC (UINT64_C(1) << 15)

#define PAGE_WRITTEN (UINT64_C(1) << 1)
#define PAGE_PRESENT (UINT64_C(1) << 3)
#define PAGE_SWAPPED (UINT64_C(1) << 4)

#define SCAN_PROTECT (UINT64_C(1) << 0)
#define SCAN_CHECK (UINT64_C(1) << 1)

struct scan {
    uint64_t size;
    uint64_t flags;
    uint64_t start;
    uint64_t end;
    uint64_t walk_end;
    uint64_t runs;
    uint64_t runs_most;
    uint64_t pages_most;
    uint64_t inverted;
    uint64_t all_of;
    uint64_t any_of;
    uint64_t report;
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan)

enum {
    PAGE = 4096,
    FD_MIN = 500, /* out of the way: the program's own descriptors should not shift */
};

/* Moves a descriptor up, where the limit allows. */
static int lift(int fd)
{
    int high;

    if (fd < 0)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
    if (high < 0)
        return fd;
    (void)close(fd);
    return high;
}

/* Write to one of two pages and see whether that one is listed. */
static bool works(const struct track *track)
{
    unsigned char *p =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct track_run run = {.start = 0};
    unsigned char *at = p;
    bool ok = false;

    if (p == MAP_FAILED)
        return false;
    p[0] = p[PAGE] = 1;
    if (!track_add(track, p, 2 * PAGE))
        goto out;
    if (track_scan(track, &at, p + 2 * PAGE, TRACK_WRITTEN | TRACK_PROTECT, &run, 1) != 1)
        goto out;
    p[PAGE] = 2;
    at = p;
    ok = track_scan(track, &at, p + 2 * PAGE, TRACK_WRITTEN | TRACK_PROTECT, &run, 1) == 1 &&
         run.start == (uintptr_t)p + PAGE;
    at = p;
    ok = ok && track_scan(track, &at, p + 2 * PAGE, TRACK_WRITTEN, &run, 1) == 0;
out:
    (void)munmap(p, 2 * PAGE);
    return ok;
}

int track_open(struct track *track, struct err *why)
{
    struct uffdio_api api = {.api = UFFD_API,
                             .features = FEATURE_WP | FEATURE_WP_UNPOPULATED | FEATURE_WP_ASYNC};

    *track = (struct track){.uffd = -1, .pagemap = -1};
    if (sysconf(_SC_PAGESIZE) != PAGE)
        return err_set(why, SN_ESYSTEM, "pages are not of 4096 bytes");
    track->uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
    if (track->uffd < 0)
        return err_set(why, SN_ESYSTEM, "userfaultfd is not available: %s", strerrordesc_np(errno));
    track->uffd = lift(track->uffd);
    if (ioctl(track->uffd, UFFDIO_API, &api) != 0) {
        track_close(track);
        return err_set(why, SN_ESYSTEM,
                       "userfaultfd has no asynchronous write protection (Linux 6.7 has)");
    }
    track->pagemap = lift(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (track->pagemap < 0 || !works(track)) {
        track_close(track);
        return err_set(why, SN_ESYSTEM, "the kernel does not list written pages");
    }
    return 0;
}

void track_close(struct track *track)
{
    if (track->uffd >= 0)
        (void)close(track->uffd);
    if (track->pagemap >= 0)
        (void)close(track->pagemap);
    *track = (struct track){.uffd = -1, .pagemap = -1};
}

bool track_add(const struct track *track, unsigned char *start, size_t bytes)
{
    struct uffdio_register r = {.range = {.start = (uintptr_t)start, .len = bytes},
                                .mode = UFFDIO_REGISTER_MODE_WP};

    if (ioctl(track->uffd, UFFDIO_REGISTER, &r) != 0)
        return false;
    /* One write to a huge page would make all of it count as written. */
    (void)madvise(start, bytes, MADV_NOHUGEPAGE);
    return true;
}

void track_remove(const struct track *track, unsigned char *start, size_t bytes)
{
    struct uffdio_range r = {.start = (uintptr_t)start, .len = bytes};

    (void)ioctl(track->uffd, UFFDIO_UNREGISTER, &r);
}

long track_scan(const struct track *track, unsigned char **at, unsigned char *end, unsigned want,
                struct track_run *runs, size_t most)
{
    struct scan scan = {
        .size = sizeof(scan),
        .flags = SCAN_CHECK | ((want & TRACK_PROTECT) != 0 ? SCAN_PROTECT : 0),
        .start = (uintptr_t)*at,
        .end = (uintptr_t)end,
        .runs = (uintptr_t)runs,
        .runs_most = most,
        .all_of = PAGE_WRITTEN,
        .any_of = (want & TRACK_GONE) != 0 ? 0 : PAGE_PRESENT | PAGE_SWAPPED,
        .report = PAGE_WRITTEN | PAGE_PRESENT | PAGE_SWAPPED,
    };
    long n = ioctl(track->pagemap, SCAN_IOCTL, &scan);

    if (n < 0)
        return -1;
    *at = (unsigned char *)(uintptr_t)scan.walk_end;
    return n;
}

void track_protect(const struct track *track, unsigned char *start, unsigned char *end)
{
    struct uffdio_writeprotect w = {
        .range = {.start = (uintptr_t)start, .len = (size_t)(end - start)},
        .mode = UFFDIO_WRITEPROTECT_MODE_WP};

    (void)ioctl(track->uffd, UFFDIO_WRITEPROTECT, &w);
}

uint64_t track_faults(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return UINT64_MAX;
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

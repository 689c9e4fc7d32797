/* track.h - which pages were written, asked of the kernel.
 *
 * Asynchronous write protection of userfaultfd clears a mark in the page table at the first write
 * to a page, also when the kernel itself writes, and PAGEMAP_SCAN lists those pages; both need no
 * privilege. Linux 6.7 or later; where it is missing, track_open says so.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_TRACK_H
#define ENGINE_WORLD_TRACK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct track {
    int uffd; /* -1: not available */
    int pagemap;
};

/* As the kernel writes it. */
struct track_run {
    uint64_t start;
    uint64_t end;
    uint64_t categories; /* see track_is_gone */
};

/* There is no page: a read would give zeros. */
static inline bool track_is_gone(const struct track_run *run)
{
    return (run->categories & (UINT64_C(1) << 3 | UINT64_C(1) << 4)) == 0;
}

enum track_want {
    TRACK_WRITTEN = 1, /* pages that exist and were written since they were protected */
    TRACK_GONE = 2,    /* as well: places where no page is */
    TRACK_PROTECT = 4, /* protect what is listed again */
};

/* Returns 0 or SN_ESYSTEM with a sentence; then all other calls but track_close are forbidden. */
int track_open(struct track *track, struct err *why);
void track_close(struct track *track);

/* Starts to watch whole pages. The pages that exist count as written. False: the kernel refuses. */
bool track_add(const struct track *track, unsigned char *start, size_t bytes);
void track_remove(const struct track *track, unsigned char *start, size_t bytes);

/* Lists runs in [*at, end) and moves *at behind what was looked at. Returns how many runs there
 * are, at most `most`, or -1: the kernel failed. */
long track_scan(const struct track *track, unsigned char **at, unsigned char *end, unsigned want,
                struct track_run *runs, size_t most);

/* Protects all pages of a range, whether they were written or not. */
void track_protect(const struct track *track, unsigned char *start, unsigned char *end);

/* Page faults of this thread so far. As long as the number stays, it wrote to no protected page. */
uint64_t track_faults(void);

#endif

/* spans.h - sets of address ranges, and which of them a restore must put back.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_WORLD_SPANS_H
#define ENGINE_WORLD_SPANS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    unsigned char *start;
    size_t size;
};

/* A list in memory outside of the world. */
struct spans {
    struct span *at;
    size_t count;
    size_t most;
};

bool spans_init(struct spans *spans);
void spans_done(struct spans *spans);

/* Empty ranges are left out. False: the list is full. */
bool spans_add(struct spans *spans, const void *start, size_t size);

/* Puts `all` without any byte of `holes` into `out`, sorted; sorts both. False: out is full. */
bool spans_subtract(struct spans *all, struct spans *holes, struct spans *out);

/* Everything outside of the region that a trial may change: .data, .bss and thread-local variables
 * of the program and its libraries, and libc's part of the thread's descriptor; nothing that must
 * not be put back. Returns 0, or a negative SN_E* with a sentence in *why. */
int spans_collect(struct spans *out, struct err *why);

/* Up to where the memory of a loaded object around p comes from its file; NULL if p is in none. */
unsigned char *spans_file_end(const unsigned char *p);

/* Counts objects loaded since the process started. */
uint64_t spans_loads(void);

/* Adds to `holes` the counters of coverage and profile instrumentation in one loaded object, which
 * must survive a restore. An object whose file cannot be read has none that we know of. */
struct dl_phdr_info;
bool profile_holes(const struct dl_phdr_info *object, const char *path, struct spans *holes);

#endif

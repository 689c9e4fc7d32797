/* show_clocks.h - what happened before what, as a vector clock for each step.
 *
 * A step comes after the one that announced it, after the one that sent what it receives, and after
 * the step before it of the same machine. A clock has an entry for each machine that is in the past
 * of a step: how many of its steps are, the step itself included. The set-up of a test is a host
 * with one event. Only what lies in the range counts, so that clocks never speak of what is not
 * shown; since an edge never leads back, the order of what is shown is the same.
 *
 * A clock is kept only while a later step needs it, and has no entries of 0: memory goes by what is
 * on its way at a time. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_SHOW_CLOCKS_H
#define REPORT_SHOW_CLOCKS_H

#include "report/show_tasks.h"

#include <stdint.h>

/* Hosts are numbered: 0 is the set-up, then come the tasks. */
struct clock_entry {
    uint32_t host;
    uint32_t count;
};

struct clock_kept {
    struct clock_entry *entries; /* NULL: not kept */
    uint32_t n;
    uint32_t uses_left; /* by later steps */
};

enum {
    CLOCK_CLASSES = 33,
};

struct show_clocks {
    const struct show_tasks *tasks;
    struct clock_kept *kept;   /* by step - first */
    struct clock_entry *clock; /* of the last step that was asked for, sorted by host */
    size_t n;
    struct clock_entry *scratch;
    struct clock_entry *free[CLOCK_CLASSES]; /* lists of pieces of 2^i entries */
    struct arena arena;
};

/* Returns 0, or SN_ENOMEM; done must be called either way. */
int show_clocks_init(struct show_clocks *clocks, const struct show_tasks *tasks);
void show_clocks_done(struct show_clocks *clocks);

/* Finds the clock of a step. Steps must be asked for in turn, from the first of the range on.
 * Returns 0, or SN_ENOMEM. */
int show_clocks_take(struct show_clocks *clocks, uint64_t step);

#endif

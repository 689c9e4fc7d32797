/* sites.h - the places of sn_sometimes and sn_reachable, and what trials have shown of them.
 *
 * A place has a number from the first run on. What was shown lies in memory that a run shares with
 * its workers and with the processes of trials, and is not rolled back: what a trial has shown was
 * shown. For each place the first trial counts, so that it is known whether that was one of those
 * that the run has counted, whoever ran it. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_SITES_H
#define ENGINE_SITES_H

#include <sennit/sometimes.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SITES_MAX = 4096 }; /* more are not looked at */

/* First trials, plus 1; 0: none. */
struct site_shown {
    _Atomic uint64_t reached;
    _Atomic uint64_t held;
};

/* What all runs of this process have shown. */
struct site_total {
    bool is_reached;
    bool is_held;
    const char *test; /* in which it first held, or NULL */
    uint64_t trial;   /* ... in this trial */
};

/* In memory that mem_reserve_shared gave; zeroed is empty. */
struct sites {
    uint32_t n;
    uint32_t left_out;
    struct sn_site *list[SITES_MAX];
    struct site_shown shown[SITES_MAX]; /* by the present run */
    struct site_total total[SITES_MAX];
};

/* A run begins: numbers what has become known since the last one, and forgets what was shown. */
void sites_begin(struct sites *sites);

/* The run of a test is over, and trials below `trials` count. */
void sites_end(struct sites *sites, const char *test, uint64_t trials);

/* Whether one of these trials has shown it. */
static inline bool site_is_shown(const _Atomic uint64_t *first, uint64_t trials)
{
    uint64_t trial = atomic_load_explicit(first, memory_order_relaxed);

    return trial != 0 && trial <= trials;
}

#endif

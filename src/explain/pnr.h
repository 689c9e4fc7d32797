/* pnr.h - the point of no return: from which step on a failing trial was lost.
 *
 * Continuations of the trial after its k-th step are sampled. If all of them fail after one step
 * they do after every later one, so the first such step is found by halving. How their share grows
 * until then shows which steps mattered. Of many steps that are looked at some stand out by chance,
 * so what is found is asked about again, with continuations that had no part in finding it, and
 * those are the figures that are told. SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_PNR_H
#define EXPLAIN_PNR_H

#include "explain/ask.h"

enum {
    PNR_POINTS_MAX = 64,
    PNR_SPREAD = 24, /* points that are looked at anyway */
    PNR_JUMPS_MAX = 3,
    PNR_CONFIRM_TRIALS = 400,
};

struct pnr_point {
    uint64_t steps; /* of the failing trial, before the rest is left to chance */
    struct answer answer;
};

struct pnr_jump {
    uint64_t step;
    struct answer before;
    struct answer after;
};

struct pnr {
    bool is_found;        /* false: not even after the last step did all of them fail */
    uint64_t step;        /* after this one all sampled continuations failed; else, the last one */
    struct answer after;  /* if it was found: of fresh ones, ... */
    struct answer before; /* ... and before it */
    struct pnr_point points[PNR_POINTS_MAX]; /* in order, up to that step */
    uint32_t n_points;
    struct pnr_jump jumps[PNR_JUMPS_MAX]; /* that are not chance, the largest first */
    uint32_t n_jumps;
};

/* Of a trial of so many steps. What was found before the budget ended is in *out. */
int pnr_find(const struct asker *asker, uint64_t steps, struct pnr *out);

#endif

/* pnr.c - see pnr.h. SPDX-License-Identifier: MIT */
#include "explain/pnr.h"

#include "base/err.h"

#include <string.h>

enum {
    ATTEMPTS_MAX = 3,   /* to find the step */
    CANDIDATES_MAX = 5, /* for jumps */
    DEVIATIONS = 3,     /* of the standard error, that a jump is larger than */
    RETREAT_MISSES = 2, /* of a hundred continuations, if nearly all fail */
};

#define JUMP_MIN 0.10 /* of what is looked at closely */
#define LOST_MIN 0.97 /* of fresh continuations fail if a trial is lost */

static int sample(const struct asker *asker, uint64_t steps, uint64_t stream, uint32_t misses_max,
                  struct answer *out)
{
    const struct question q = {
        .stream = stream, .trials = EXPLAIN_AFTER_TRIALS, .misses_max = misses_max};

    *out = (struct answer){0};
    return asker->after(asker->self, steps, &q, out);
}

/* Asks again, with continuations that had no part in what was found. */
static int sample_fresh(const struct asker *asker, uint64_t steps, uint64_t stream,
                        struct answer *out)
{
    const struct question q = {
        .stream = stream, .trials = PNR_CONFIRM_TRIALS, .misses_max = UINT32_MAX};

    *out = (struct answer){0};
    return asker->after(asker->self, steps, &q, out);
}

/* The first step from `low` on after which all continuations of a stream fail; beyond the end if
 * there is none: chance may decide even at the end of a trial that is judged by what a fair
 * strategy does with it. */
static int find_step(const struct asker *asker, uint64_t low, uint64_t steps, uint64_t stream,
                     uint64_t *out)
{
    uint64_t high = steps; /* the answer is at least `low`, and at most this */
    struct answer a;
    int rc = sample(asker, steps, stream, 0, &a);

    *out = steps + 1;
    if (rc != 0 || a.failed < EXPLAIN_AFTER_TRIALS)
        return rc;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        rc = sample(asker, middle, stream, 0, &a);
        if (rc != 0)
            return rc;
        if (a.failed == EXPLAIN_AFTER_TRIALS)
            high = middle;
        else
            low = middle + 1;
    }
    *out = high;
    return 0;
}

/* Where nearly all continuations fail for a long time, the one step after which all of a hundred
 * did is chance: then the first of those steps is told. */
static int retreat(const struct asker *asker, struct pnr *out)
{
    uint64_t low = 0;
    uint64_t high = out->step; /* the answer is at least `low`, and at most this */
    struct answer a;
    int rc = 0;

    if (out->step == 0)
        return 0;
    rc = sample_fresh(asker, out->step - 1, STREAM_CONFIRM_LAST, &out->before);
    if (rc != 0 || answer_share(&out->before) < LOST_MIN)
        return rc;
    high--;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        rc = sample(asker, middle, STREAM_CONFIRM_LAST, RETREAT_MISSES, &a);
        if (rc != 0)
            return rc;
        if (a.trials - a.failed <= RETREAT_MISSES)
            high = middle;
        else
            low = middle + 1;
    }
    rc = sample_fresh(asker, high, STREAM_CONFIRM, &a);
    if (rc != 0 || answer_share(&a) < LOST_MIN)
        return rc;
    out->step = high;
    out->after = a;
    out->before = (struct answer){0};
    return high > 0 ? sample_fresh(asker, high - 1, STREAM_CONFIRM_LAST, &out->before) : 0;
}

/* Finds the step. One that chance has made seem lost is refuted by fresh continuations, and the
 * search goes on behind it with those. */
static int find_lost(const struct asker *asker, uint64_t steps, struct pnr *out)
{
    uint64_t stream = STREAM_AFTER;
    uint64_t low = 0;

    out->step = steps;
    for (uint64_t i = 0; i < ATTEMPTS_MAX && low <= steps; i++) {
        struct answer a;
        uint64_t step;
        int rc = find_step(asker, low, steps, stream, &step);

        if (rc != 0 || step > steps)
            return rc;
        stream = STREAM_CONFIRM + i;
        rc = sample_fresh(asker, step, stream, &a);
        if (rc != 0)
            return rc;
        if (answer_share(&a) >= LOST_MIN) {
            out->is_found = true;
            out->step = step;
            out->after = a;
            return retreat(asker, out);
        }
        low = step + 1;
    }
    return 0;
}

/* ---- The curve ------------------------------------------------------------------------------ */

/* Samples a point unless that was done; it is points[*at] then. */
static int add_point(const struct asker *asker, struct pnr *p, uint64_t steps, uint32_t *at)
{
    struct answer a;
    uint32_t i = 0;
    int rc;

    while (i < p->n_points && p->points[i].steps < steps)
        i++;
    *at = i;
    if (i < p->n_points && p->points[i].steps == steps)
        return 0;
    sn_check(p->n_points < PNR_POINTS_MAX);
    rc = sample(asker, steps, STREAM_AFTER, UINT32_MAX, &a);
    if (rc != 0)
        return rc;
    memmove(&p->points[i + 1], &p->points[i], (p->n_points - i) * sizeof(p->points[0]));
    p->points[i] = (struct pnr_point){.steps = steps, .answer = a};
    p->n_points++;
    return 0;
}

static int spread_points(const struct asker *asker, struct pnr *p)
{
    uint64_t n = p->step < PNR_SPREAD ? p->step : PNR_SPREAD;
    uint32_t at;
    int rc = add_point(asker, p, p->step, &at);

    if (rc == 0 && p->step > 0)
        rc = add_point(asker, p, p->step - 1, &at);
    for (uint64_t i = 0; rc == 0 && i < n; i++)
        rc = add_point(asker, p, p->step * i / n, &at);
    return rc;
}

static double rise(const struct pnr *p, uint32_t i)
{
    return answer_share(&p->points[i + 1].answer) - answer_share(&p->points[i].answer);
}

static bool is_refined(const struct pnr *p, uint32_t i)
{
    return p->points[i + 1].steps == p->points[i].steps + 1;
}

/* Halves the largest rises until they are rises of one step each. */
static int refine(const struct asker *asker, struct pnr *p)
{
    while (p->n_points < PNR_POINTS_MAX) {
        double largest = JUMP_MIN;
        uint32_t best = UINT32_MAX;
        uint32_t at;
        int rc;

        for (uint32_t i = 0; i + 1 < p->n_points; i++) {
            if (!is_refined(p, i) && rise(p, i) >= largest) {
                largest = rise(p, i);
                best = i;
            }
        }
        if (best == UINT32_MAX)
            return 0;
        rc = add_point(asker, p, (p->points[best].steps + p->points[best + 1].steps) / 2, &at);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* ---- Jumps ---------------------------------------------------------------------------------- */

static uint32_t height(const struct pnr_jump *jump)
{
    return jump->after.failed - jump->before.failed;
}

/* Enters a jump among at most `max`, the highest first. */
static void enter(struct pnr_jump *jumps, uint32_t *n, uint32_t max, struct pnr_jump jump)
{
    uint32_t at = *n;

    while (at > 0 && height(&jumps[at - 1]) < height(&jump))
        at--;
    if (at == max)
        return;
    if (*n < max)
        (*n)++;
    memmove(&jumps[at + 1], &jumps[at], (*n - at - 1) * sizeof(jumps[0]));
    jumps[at] = jump;
}

/* Whether a growth is more than chance: of a difference of shares, by its standard error. */
static bool is_jump(const struct pnr_jump *jump)
{
    double before = answer_share(&jump->before);
    double after = answer_share(&jump->after);
    double mean = (before + after) / 2;
    double error = 2 * mean * (1 - mean) / PNR_CONFIRM_TRIALS; /* squared */

    return after > before && (after - before) * (after - before) > DEVIATIONS * DEVIATIONS * error;
}

/* Asks again about the largest growths, and about the step with which the trial was lost. */
static int confirm_jumps(const struct asker *asker, struct pnr *p)
{
    struct pnr_jump candidates[CANDIDATES_MAX];
    uint32_t n = 0;
    int rc = 0;

    for (uint32_t i = 0; i + 1 < p->n_points; i++) {
        const struct pnr_jump jump = {.step = p->points[i + 1].steps,
                                      .before = p->points[i].answer,
                                      .after = p->points[i + 1].answer};

        if (is_refined(p, i) && rise(p, i) >= JUMP_MIN)
            enter(candidates, &n, CANDIDATES_MAX, jump);
    }
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        struct pnr_jump *jump = &candidates[i];
        bool is_last = p->is_found && jump->step == p->step;

        jump->before = p->before;
        jump->after = p->after;
        if (!is_last)
            rc = sample_fresh(asker, jump->step - 1, STREAM_CONFIRM_LAST, &jump->before);
        if (!is_last && rc == 0)
            rc = sample_fresh(asker, jump->step, STREAM_CONFIRM_LAST, &jump->after);
        if (rc == 0 && is_jump(jump))
            enter(p->jumps, &p->n_jumps, PNR_JUMPS_MAX, *jump);
    }
    return rc;
}

int pnr_find(const struct asker *asker, uint64_t steps, struct pnr *out)
{
    int rc;

    *out = (struct pnr){0};
    rc = find_lost(asker, steps, out);
    if (rc == 0)
        rc = spread_points(asker, out);
    if (rc == 0)
        rc = refine(asker, out);
    if (rc == 0)
        rc = confirm_jumps(asker, out);
    return rc;
}

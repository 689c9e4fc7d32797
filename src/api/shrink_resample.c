/* shrink_resample.c - shorter failing trials that cannot be had by leaving something out.
 *
 * Where operations follow from each other round after round, an early round cannot be left out
 * without all that comes later. But most bugs do not need the rounds before: trials that are
 * decided anew, from the beginning or from some point of the smallest trial on, may fail in the
 * same way much sooner. The decisions come from a seed, so the result does not depend on who
 * runs them. SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <assert.h>

enum {
    SHORT = 48,        /* steps of a trial for which this is not worth it */
    SAMPLES_MIN = 128, /* from the beginning; more if the trial is long */
    SAMPLES_MAX = 1024,
    CONTINUED = 32, /* from each of some points on */
    POINTS = 4,
    ROUNDS_MAX = 16,
};

static_assert((int)SAMPLES_MAX <= (int)(SHRINK_WIDTH * SHRINK_REPEATS_MAX), "each has a place");

static bool is_worth_it(const struct shrink *s)
{
    return !s->is_stopped && !s->has_tail && !s->is_dear && s->options->repeats <= 1 &&
           s->best.result.steps > SHORT;
}

/* Half of them by each strategy: what one hardly ever finds, the other may. */
static struct lab_job job_of(const struct shrink *s, uint32_t i, uint64_t limit)
{
    return (struct lab_job){.strategy = i % 2 == 0 ? "random" : "pos",
                            .seed = mix_pair(s->fair_seed, s->round),
                            .trial = i / 2,
                            .max_steps = limit,
                            .wants_log_if_same = true};
}

/* Runs the first n jobs. True: one of them has failed in the wanted way, and is the smallest. */
static bool find(struct shrink *s, uint32_t n)
{
    uint32_t found;

    s->round++;
    found = shrink_run_jobs(s, n);
    return found < n && shrink_take_result(s, &s->results[found]);
}

void shrink_from_start(struct shrink *s)
{
    bool is_shorter = true;

    for (int i = 0; i < ROUNDS_MAX && is_shorter && is_worth_it(s); i++) {
        uint64_t n = s->best.result.steps / 4;

        n = n < SAMPLES_MIN ? SAMPLES_MIN : n > SAMPLES_MAX ? SAMPLES_MAX : n;
        for (uint32_t k = 0; k < n; k++)
            s->jobs[k] = job_of(s, k, s->best.result.steps / 2);
        is_shorter = find(s, (uint32_t)n);
    }
}

/* What is decided anew must make it shorter by so much that it is worth to shrink it again. */
bool shrink_from_inside(struct shrink *s)
{
    uint64_t steps = s->best.result.steps;
    uint64_t limit = steps - steps / 16 - 1;

    if (!is_worth_it(s))
        return false;
    s->plans[0] = shrink_plan(s);
    for (uint32_t i = 0; i < CONTINUED * POINTS; i++) {
        uint64_t kept = steps * (i / CONTINUED) / POINTS;

        s->jobs[i] = job_of(s, i % CONTINUED, limit);
        if (kept == 0)
            continue;
        s->jobs[i].plan = &s->plans[0];
        s->jobs[i].plan_steps = kept;
    }
    return find(s, CONTINUED * POINTS);
}

/* shrink_pool.c - several failing trials to begin with: what is left of each differs much.
 *
 * Trials are decided anew, and the shortest of those that fail in the same way are shrunk in turn;
 * the smallest result counts. They come from a seed, so it is the same whoever runs them.
 * SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"
#include "engine/mem.h"

#include <assert.h>
#include <string.h>

enum {
    SHORT = 40,          /* steps of a trial for which this is not worth it */
    KEPT = 8,            /* trials that are shrunk */
    BATCH = 256,         /* trials that are run at a time */
    STEPS_MIN = 1 << 20, /* of all trials, if there are enough that fail, ... */
    STEPS_MAX = 6 << 20, /* ... and if there are not */
    BATCHES_MAX = 64,
    DUES_MAX = 256,
};

static_assert((int)BATCH <= (int)(SHRINK_WIDTH * SHRINK_REPEATS_MAX), "each has a place");
static_assert(BATCH % SHRINK_WIDTH == 0, "each plan is for as many");

/* A failing trial, by what has decided it. */
struct start {
    uint64_t batch;
    uint32_t job; /* in the batch */
    uint64_t steps;
};

struct pool {
    struct shrink *s;
    struct start starts[KEPT]; /* the shortest first */
    uint32_t n;
    uint64_t limit;
    uint64_t keys[DUES_MAX]; /* of the draws that say when faults can strike */
    uint32_t n_keys;
    struct plan_draw dues[SHRINK_WIDTH][DUES_MAX];
};

/* ---- Jobs ----------------------------------------------------------------------------------- */

/* A test that says up to which step faults begin means its longest trials. For shorter ones those
 * steps are drawn anew. */
static void list_dues(struct pool *pool)
{
    const struct shrink *s = pool->s;
    const struct sn_faults *faults = s->options->request->test->faults;
    uint64_t label = follow_label("fault from step");

    if (faults == NULL || faults->horizon <= s->before.steps)
        return;
    for (uint64_t i = 0; i < s->best.result.decisions && pool->n_keys < DUES_MAX; i++) {
        const struct lab_entry *entry = &s->best.entries[i];

        if (entry->is_draw && entry->label == label)
            pool->keys[pool->n_keys++] = entry->id;
        else if (!entry->is_draw)
            break; /* they are drawn before the first step */
    }
}

static void draw_dues(struct pool *pool, uint64_t batch)
{
    struct rng rng;

    rng_init(&rng, mix_pair(pool->s->fair_seed, batch), 1);
    for (uint32_t i = 0; i < SHRINK_WIDTH; i++) {
        for (uint32_t k = 0; k < pool->n_keys; k++)
            pool->dues[i][k] =
                (struct plan_draw){pool->keys[k], rng_below64(&rng, pool->s->before.steps)};
        pool->s->plans[i] = (struct plan){.draws = pool->dues[i], .n_draws = pool->n_keys};
    }
}

static struct lab_job job_of(const struct pool *pool, uint64_t batch, uint32_t i)
{
    static const char *const strategies[] = {"random", "pos"};
    struct lab_job job = {.strategy = strategies[i % 2],
                          .seed = mix_pair(pool->s->fair_seed, batch),
                          .trial = i / 2,
                          .max_steps = pool->limit};

    if (pool->n_keys > 0) {
        job.plan = &pool->s->plans[i / (BATCH / SHRINK_WIDTH)];
        job.plan_steps = 1; /* and what comes before it */
    }
    return job;
}

/* ---- Trials --------------------------------------------------------------------------------- */

static void keep(struct pool *pool, struct start start)
{
    uint32_t i = pool->n < KEPT ? pool->n++ : KEPT - 1;

    for (; i > 0 && pool->starts[i - 1].steps > start.steps; i--)
        pool->starts[i] = pool->starts[i - 1];
    pool->starts[i] = start;
    if (pool->n == KEPT)
        pool->limit = pool->starts[KEPT - 1].steps - 1;
}

/* Runs trials and keeps the shortest that fail. */
static void sample(struct pool *pool)
{
    struct shrink *s = pool->s;
    uint64_t steps = 0;

    for (uint64_t batch = 0; batch < BATCHES_MAX; batch++) {
        if (steps >= (pool->n < KEPT ? STEPS_MAX : STEPS_MIN))
            break;
        draw_dues(pool, batch);
        for (uint32_t i = 0; i < BATCH; i++)
            s->jobs[i] = job_of(pool, batch, i);
        if (!shrink_run_all(s, s->jobs, BATCH, s->results))
            return;
        for (uint32_t i = 0; i < BATCH; i++) {
            steps += s->results[i].steps;
            if (lab_is_wanted(&s->wanted, &s->results[i]) && s->results[i].steps <= pool->limit)
                keep(pool, (struct start){.batch = batch, .job = i, .steps = s->results[i].steps});
        }
    }
}

/* Makes a trial of the pool the smallest, by running it once more. */
static bool begin_with(struct pool *pool, const struct start *start)
{
    struct shrink *s = pool->s;

    draw_dues(pool, start->batch);
    pool->limit = start->steps;
    s->jobs[0] = job_of(pool, start->batch, start->job);
    s->jobs[0].wants_log = true;
    return shrink_run_all(s, s->jobs, 1, s->results) && lab_is_wanted(&s->wanted, &s->results[0]) &&
           shrink_take_result(s, &s->results[0]);
}

/* ---- The smallest --------------------------------------------------------------------------- */

static bool is_smaller(const struct shrink *s, const struct shrink_best *a,
                       const struct shrink_best *b)
{
    uint64_t length_a = shrink_length(s, &a->result);
    uint64_t length_b = shrink_length(s, &b->result);

    return length_a != length_b ? length_a < length_b : a->n_draws < b->n_draws;
}

static void exchange(struct shrink *s)
{
    struct shrink_best best = s->best;

    s->best = s->other;
    s->other = best;
}

void shrink_from_pool(struct shrink *s)
{
    struct pool *pool;

    if (s->is_stopped || s->has_tail || s->is_dear || s->options->repeats > 1 ||
        s->best.result.steps <= SHORT)
        return;
    pool = mem_reserve_shared(sizeof(*pool), &s->why);
    if (pool == NULL) {
        s->rc = SN_ENOMEM;
        s->is_stopped = true;
        return;
    }
    pool->s = s;
    pool->limit = s->before.steps + s->before.steps / 2;
    list_dues(pool);
    sample(pool);
    for (uint32_t i = 0; i < pool->n && !s->is_stopped; i++) {
        exchange(s);
        if (begin_with(pool, &pool->starts[i])) {
            shrink_minimise(s);
            if (is_smaller(s, &s->best, &s->other))
                continue;
        }
        exchange(s);
    }
    mem_release(pool, sizeof(*pool));
}

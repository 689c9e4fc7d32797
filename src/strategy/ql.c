/* ql.c - Q-learning: prefers what leads to states that were seldom reached.
 *
 * Mukherjee, Deligiannis, Biswas and Lal, "Learning-based controlled concurrency testing" (OOPSLA
 * 2020). A state is what has run so far, whatever its order, by signatures (causes.h), and what ran
 * last. Reaching a state costs as much as it was reached before, in all trials, and an operation is
 * worth the less the more is paid for what it leads to (qtable.h). Operations are chosen with
 * probabilities proportional to e to the power of what they are worth.
 *
 * Departures: what is learned counts from the next epoch on, so that trials do not depend on who
 * runs them. In an epoch a state may be reached some hundred times before anybody notices, so
 * worths are divided by a quarter of its length, or all of its trials would be the same. The best
 * worth is subtracted before e is raised to it, since otherwise all would come to 0 in the end.
 * Numbers are whole, and e^x is our own. One trial in twenty is a random walk, so that every
 * schedule keeps a twentieth of the chance that it has there. SPDX-License-Identifier: MIT
 */
#include "engine/epoch.h"
#include "engine/loop.h"
#include "strategy/causes.h"
#include "strategy/number.h"
#include "strategy/qtable.h"
#include "strategy/strategies.h"
#include "strategy/stream.h"

#include <stdio.h>

enum {
    WALKS_ONE_IN = 20,
    HEAT = EPOCH_TRIALS / 4, /* worths count so many times less when operations are chosen */
    PENALTY_MAX = 1000,
    STEPS_MAX = SN_LESSON_MAX / 16, /* that a lesson has room for */
    COMPARED_MAX = 64,              /* operations; among more, all count as different */
};

static const uint64_t not_begun = UINT64_MAX;

/* Of a lesson: what ran, and how many different operations could. */
struct ql_step {
    uint64_t signature;
    uint64_t n_possible;
    bool is_fault;
};

struct ql {
    struct rng rng;
    struct stream stream;
    uint64_t penalty; /* of states that are reached by a fault: so many times that of others */
    uint64_t base;    /* steps of the trial before this strategy's phase */
    bool is_walk;     /* this trial */
    uint64_t so_far;  /* the sum of what has run */
    uint64_t state;
    uint32_t n_steps;
    struct ql_step steps[STEPS_MAX];
    int64_t worths[TRIAL_SOURCES_MAX];
    struct qtable table;
    struct causes causes;
};

static const uint64_t ql_tag = UINT64_C(0x6c71); /* "ql" */

static int ql_init(void *self, const char *parameters, uint64_t seed, char *error, size_t size)
{
    struct ql *q = self;
    const char *at = parameters;

    q->penalty = 1;
    stream_init(&q->stream, seed, ql_tag);
    if (*at == '\0' || (number_read(&at, 1, PENALTY_MAX, &q->penalty) == 0 && *at == '\0'))
        return 0;
    (void)snprintf(error, size, "how much faults cost must be a number from 1 to %d, but is \"%s\"",
                   PENALTY_MAX, parameters);
    return -1;
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* The state after a step: what has run, in any order, and what ran last. */
static uint64_t state_after(uint64_t *so_far, uint64_t signature)
{
    *so_far += mix64(signature);
    return mix_pair(*so_far, signature);
}

static bool ql_begin(void *self, uint64_t trial, uint64_t *keep)
{
    struct ql *q = self;

    (void)trial;
    (void)keep;
    (void)stream_begin(&q->stream, &q->rng);
    q->is_walk = rng_below(&q->rng, WALKS_ONE_IN) == 0;
    q->base = not_begun;
    q->so_far = q->state = 0;
    q->n_steps = 0;
    return true;
}

static void ql_seek(void *self, uint64_t trial)
{
    struct ql *q = self;

    stream_seek(&q->stream, trial);
}

/* ---- Picking -------------------------------------------------------------------------------- */

/* The signature of what is enabled at a position. */
static uint64_t signature_at(struct trial *t, struct ql *q, uint32_t position)
{
    const struct sn_op *op = &t->ops[t->sources[(uint32_t)t->enabled[position]].ready];
    bool is_new;

    return q->causes.all[causes_meet(&q->causes, t, op, &is_new)].signature;
}

static uint64_t count_possible(struct trial *t, struct ql *q)
{
    uint64_t seen[COMPARED_MAX];
    uint32_t n = 0;

    if (t->now.n_enabled > COMPARED_MAX)
        return t->now.n_enabled;
    for (uint32_t i = 0; i < t->now.n_enabled; i++) {
        uint64_t signature = signature_at(t, q, i);
        uint32_t k = 0;

        while (k < n && seen[k] != signature)
            k++;
        seen[k] = signature;
        n += k == n;
    }
    return n;
}

/* By what each is worth. */
static uint32_t choose(struct trial *t, struct ql *q)
{
    uint32_t n = t->now.n_enabled;
    int64_t best = INT64_MIN;
    uint64_t total = 0;
    uint64_t left;
    uint32_t i = 0;

    for (uint32_t k = 0; k < n; k++) {
        q->worths[k] = qtable_value(&q->table, q->state, signature_at(t, q, k));
        best = q->worths[k] > best ? q->worths[k] : best;
    }
    for (uint32_t k = 0; k < n; k++) {
        q->worths[k] = (int64_t)qtable_exp((uint64_t)(best - q->worths[k]) / HEAT);
        total += (uint64_t)q->worths[k];
    }
    left = rng_below64(&q->rng, total);
    for (; left >= (uint64_t)q->worths[i]; i++)
        left -= (uint64_t)q->worths[i];
    return i;
}

static uint32_t pick_source(struct trial *t, void *self)
{
    struct ql *q = self;
    uint64_t n_possible = count_possible(t, q);
    uint32_t position = 0;
    uint32_t source;
    uint32_t index;
    const struct cause_record *r;

    if (t->now.n_enabled > 1)
        position = q->is_walk ? rng_below(&q->rng, t->now.n_enabled) : choose(t, q);
    (void)signature_at(t, q, position);
    source = (uint32_t)t->enabled[position];
    index = t->sources[source].ready;
    r = &q->causes.all[causes_run(&q->causes, index, &t->ops[index], t->now.steps + 1)];
    if (q->n_steps < STEPS_MAX)
        q->steps[q->n_steps++] = (struct ql_step){.signature = r->signature,
                                                  .n_possible = n_possible,
                                                  .is_fault = t->ops[index].kind == SN_OP_FAULT};
    q->state = state_after(&q->so_far, r->signature);
    return source;
}

static void enter(struct trial *t, struct ql *q)
{
    q->base = t->now.steps;
    causes_start(&q->causes, q->base);
}

static void ql_loop(struct trial *t)
{
    enter(t, t->strategy_self);
    trial_loop_with(t, pick_source, NULL, t->strategy_self);
}

static uint32_t ql_pick(void *self, const struct sn_pending *pending)
{
    struct trial *t = (struct trial *)(uintptr_t)pending;
    struct ql *q = self;

    if (q->base == not_begun)
        enter(t, q);
    return t->sources[pick_source(t, q)].position - 1;
}

static uint64_t ql_draw(void *self, const struct sn_draw *draw)
{
    struct ql *q = self;

    return rng_below64(&q->rng, draw->n);
}

/* ---- Learning ------------------------------------------------------------------------------- */

enum { STEP_BYTES = 16, FAULT_BIT = 32 };

static size_t ql_lesson(void *self, void *bytes, size_t room)
{
    struct ql *q = self;
    unsigned char *to = bytes;
    size_t n = 0;

    for (uint32_t i = 0; i < q->n_steps && room - n >= STEP_BYTES; i++, n += STEP_BYTES) {
        bytes_put(to + n, q->steps[i].signature);
        bytes_put(to + n + 8, q->steps[i].n_possible | (uint64_t)q->steps[i].is_fault << FAULT_BIT);
    }
    return n;
}

static void ql_learn(void *self, const void *bytes, size_t n)
{
    struct ql *q = self;
    const unsigned char *from = bytes;
    uint64_t so_far = 0;
    struct qstep step = {.to = 0};

    n -= n % STEP_BYTES;
    qtable_next(&q->table, 0);
    for (size_t i = 0; i < n; i += STEP_BYTES) {
        uint64_t own = bytes_get(from + i + 8);

        step.from = step.to;
        step.action = bytes_get(from + i);
        step.to = state_after(&so_far, step.action);
        step.n_possible = i + STEP_BYTES < n ? (uint32_t)bytes_get(from + i + STEP_BYTES + 8) : 0;
        step.penalty = (own >> FAULT_BIT & 1) != 0 ? q->penalty : 1;
        qtable_learn(&q->table, &step);
    }
}

/* ---- As bytes ------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 8 + STREAM_BYTES };

static size_t ql_save(const void *self, void *bytes, size_t room)
{
    const struct ql *q = self;
    unsigned char *to = bytes;
    size_t size = HEAD_BYTES + qtable_save(&q->table, NULL, 0);

    if (room < size)
        return size;
    bytes_put(to, ql_tag);
    stream_put(&q->stream, to + 8);
    (void)qtable_save(&q->table, to + HEAD_BYTES, room - HEAD_BYTES);
    return size;
}

static int ql_load(void *self, const void *bytes, size_t n)
{
    struct ql *q = self;
    const unsigned char *from = bytes;

    if (n < HEAD_BYTES || bytes_get(from) != ql_tag ||
        !qtable_is_saved(from + HEAD_BYTES, n - HEAD_BYTES) || stream_get(&q->stream, from + 8) < 0)
        return -1;
    qtable_load(&q->table, from + HEAD_BYTES, n - HEAD_BYTES);
    return 0;
}

/* Each part goes on learning from its own trials. */
static bool ql_split(void *self, void *other)
{
    struct ql *q = self;
    struct ql *o = other;

    stream_split(&q->stream, &o->stream);
    o->table = q->table;
    return true;
}

static const struct sn_strategy ql_strategy = {
    .name = "ql",
    .about = "prefers what leads to states that were seldom reached; ql:N: faults cost N times",
    .state_size = sizeof(struct ql),
    .learns = true,
    .init = ql_init,
    .begin = ql_begin,
    .pick = ql_pick,
    .draw = ql_draw,
    .seek = ql_seek,
    .save = ql_save,
    .load = ql_load,
    .split = ql_split,
    .lesson = ql_lesson,
    .learn = ql_learn,
};

const struct strategy_entry strategy_ql = {.strategy = &ql_strategy, .loop = ql_loop};

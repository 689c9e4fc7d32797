/* explain_pool.c - trials that nobody has forced to anything: how often strategies fail, and what
 * those that failed have in common. SPDX-License-Identifier: MIT
 */
#include "api/explain_own.h"

#include <stdio.h>
#include <string.h>

enum {
    RATE_TRIALS = 1000,
    RATE_TRIALS_MIN = 100,
    RATE_STEPS = 2000000, /* of each strategy; trials that are longer are fewer */
    MODULO_ORDERS = 64,   /* that are asked about with other machines in the roles */
};

static const char *const strategies[EXPLANATION_STRATEGIES] = {"random", "pos", "posr", "pct:3"};

/* ---- How often strategies fail -------------------------------------------------------------- */

/* Notes which trials failed as the subject does, and which passed. */
static void note(struct explaining *x, uint32_t strategy, uint32_t from, uint32_t n)
{
    struct pool *p = &x->pool;

    for (uint32_t i = 0; i < n; i++) {
        const struct pooled trial = {
            .strategy = strategy, .trial = from + i, .steps = x->results[i].steps};

        if (lab_is_wanted(&x->wanted, &x->results[i])) {
            if (p->n_found[strategy] < COVER_RUNS_MAX)
                p->found[strategy][p->n_found[strategy]++] = trial;
        } else if (x->results[i].how == LAB_PASSED && p->n_passing < POOL_PASSING_MAX &&
                   p->n_passing < (strategy + 1) * POOL_PASSING_MAX / EXPLANATION_STRATEGIES) {
            p->passing[p->n_passing++] = trial;
        }
    }
}

/* Takes failing trials of all strategies in turn, so that none outweighs the others. */
static void fill_pool(struct pool *p)
{
    p->n_failing = 0;
    for (uint32_t i = 0; i < COVER_RUNS_MAX; i++) {
        for (uint32_t s = 0; s < EXPLANATION_STRATEGIES; s++) {
            if (i < p->n_found[s] && p->n_failing < COVER_RUNS_MAX)
                p->failing[p->n_failing++] = p->found[s][i];
        }
    }
}

static int rate(struct explaining *x, uint32_t strategy, uint32_t trials)
{
    const struct lab_job job = {.strategy = strategies[strategy]};
    const struct question q = {.stream = STREAM_RATES, .trials = trials, .misses_max = UINT32_MAX};
    struct answer a = {0};

    for (uint32_t from = 0; from < trials;) {
        uint32_t n = trials - from < EXPLAINING_BATCH ? trials - from : EXPLAINING_BATCH;
        int rc = explaining_batch(x, &job, &q, from, n);

        if (rc != 0)
            return rc;
        explaining_count(x, &q, n, &a);
        note(x, strategy, from, n);
        from += n;
    }
    x->e->rates[x->e->n_rates++] =
        (struct explanation_rate){.strategy = strategies[strategy], .answer = a};
    return 0;
}

int explaining_rates(struct explaining *x, double share)
{
    uint64_t n = RATE_STEPS / (x->given->n_steps > 0 ? x->given->n_steps : 1);
    int rc = 0;

    n = n > RATE_TRIALS ? RATE_TRIALS : n < RATE_TRIALS_MIN ? RATE_TRIALS_MIN : n;
    for (uint32_t i = x->e->n_rates;
         rc == 0 && i < EXPLANATION_STRATEGIES && explaining_used(x) < share; i++)
        rc = rate(x, i, (uint32_t)n);
    fill_pool(&x->pool);
    x->e->n_pool = x->pool.n_failing;
    return rc;
}

const char *explaining_strategy(const struct pooled *trial)
{
    return strategies[trial->strategy];
}

int explaining_look(struct explaining *x, const struct pooled *trial, const struct happened **h)
{
    struct lab_job job = explaining_pool_job(x, trial);
    struct lab_result result;

    return explaining_events(x, &job, &result, h);
}

struct lab_job explaining_pool_job(const struct explaining *x, const struct pooled *trial)
{
    struct lab_job job = explaining_job(x, STREAM_RATES, trial->trial);

    job.strategy = strategies[trial->strategy];
    return job;
}

/* ---- The core ------------------------------------------------------------------------------- */

static void set_order(struct pool *p, uint32_t run, uint32_t item)
{
    p->orders[run][item / 64] |= UINT64_C(1) << (item % 64);
}

/* Whether a trial has an order. Most operations have names of their own, whose places are known;
 * others are looked for. Of a passing trial it is enough that it does not have the reverse: that
 * neither operation ran tells nothing apart but long trials from short ones. */
static bool has_placed(const struct explaining *x, const struct happened *h,
                       const struct constraint *c, bool is_failing)
{
    uint32_t first = x->places[c->first];
    uint32_t later = x->places[c->later];
    const struct opname *one = opnames_get(x->names, c->first);
    const struct opname *two = opnames_get(x->names, c->later);

    if (one->anchor == 0 && two->anchor == 0 && first != 0 && later != 0)
        return first < later;
    return is_failing ? happened_has(h, c, NULL) : happened_respects(h, c);
}

/* Notes which orders of the subject a trial has. What cannot be looked at as a whole has none that
 * is known. */
static int note_orders(struct explaining *x, const struct pooled *trial, uint32_t run)
{
    const struct candidates *c = &x->candidates;
    const struct happening *events;
    const struct happened *h;
    uint32_t n;
    uint32_t n_ran;
    int rc = explaining_look(x, trial, &h);

    memset(x->pool.orders[run], 0, sizeof(x->pool.orders[run]));
    if (rc != 0 || h == NULL || !explaining_is_known(x, h))
        return rc;
    events = happened_events(h, &n, &n_ran);
    for (uint32_t i = n_ran - 1; i > 0; i--)
        x->places[events[i].name] = i;
    x->places[0] = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        if (item_is_order(c->items[i].kind) &&
            has_placed(x, h, &c->constraints[i], run < COVER_RUNS_MAX))
            set_order(&x->pool, run, i);
    }
    for (uint32_t i = 1; i < n_ran; i++)
        x->places[events[i].name] = 0;
    return 0;
}

/* ---- The core modulo symmetry --------------------------------------------------------------- */

static bool has_order(void *self, bool is_failing, uint32_t run, uint32_t item)
{
    const struct explaining *x = self;
    uint32_t at = is_failing ? run : COVER_RUNS_MAX + run;

    return (x->pool.orders[at][item / 64] >> (item % 64) & 1) != 0;
}

/* In how much larger a share of the failing trials than of the passing ones an order is. */
static double lead_of(struct explaining *x, uint32_t item)
{
    uint32_t failing = 0;
    uint32_t passing = 0;

    for (uint32_t i = 0; i < x->pool.n_failing; i++)
        failing += has_order(x, true, i, item);
    for (uint32_t i = 0; i < x->pool.n_passing; i++)
        passing += has_order(x, false, i, item);
    return (double)failing / x->pool.n_failing -
           (x->pool.n_passing > 0 ? (double)passing / x->pool.n_passing : 0);
}

/* The orders that tell failing from passing trials best as they are: they are asked about with
 * other machines, too. */
static uint32_t find_leaders(struct explaining *x, uint32_t *items)
{
    double leads[MODULO_ORDERS];
    uint32_t n = 0;

    for (uint32_t i = 0; i < x->candidates.n; i++) {
        double lead = item_is_order(x->candidates.items[i].kind) ? lead_of(x, i) : 0;
        uint32_t at = n;

        while (at > 0 && leads[at - 1] < lead)
            at--;
        if (lead <= 0 || at == MODULO_ORDERS)
            continue;
        n += n < MODULO_ORDERS;
        memmove(&leads[at + 1], &leads[at], (n - at - 1) * sizeof(leads[0]));
        memmove(&items[at + 1], &items[at], (n - at - 1) * sizeof(items[0]));
        leads[at] = lead;
        items[at] = i;
    }
    return n;
}

static int note_modulo(struct explaining *x, const struct pooled *trial, uint32_t run,
                       const uint32_t *items, uint32_t n)
{
    const struct happened *h;
    int rc = explaining_look(x, trial, &h);

    if (rc != 0 || h == NULL || !explaining_is_known(x, h))
        return rc;
    for (uint32_t i = 0; i < n; i++) {
        const struct constraint *order = &x->candidates.constraints[items[i]];

        if (symmetry_find(&x->symmetry, x->names, h, &order, 1) != SYMMETRY_NOT ||
            (run >= COVER_RUNS_MAX && happened_respects(h, order)))
            set_order(&x->pool, run, items[i]);
    }
    return 0;
}

static void describe_core(struct explaining *x, const struct core *c, bool is_modulo)
{
    struct explanation *e = x->e;

    e->n_core = c->n_orders;
    e->n_core_failing = c->n_failing;
    e->n_core_passing = c->n_told;
    for (uint32_t i = 0; i < c->n_orders; i++) {
        const struct constraint *constraint = &x->candidates.constraints[c->orders[i].item];
        struct explanation_core *out = &e->core[i];
        struct sn_text text;

        out->order = c->orders[i];
        out->is_modulo = is_modulo;
        explaining_event_words(x, c->orders[i].item, 0, out->first);
        explaining_event_words(x, c->orders[i].item, 1, out->second);
        text_init(&text, out->require, sizeof(out->require));
        constraint_put(&text, x->names, constraint);
    }
}

/* Looks at all trials of the pool. */
static int note_all(struct explaining *x, const uint32_t *items, uint32_t n)
{
    struct pool *p = &x->pool;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < p->n_failing + p->n_passing; i++) {
        bool is_failing = i < p->n_failing;
        const struct pooled *trial = is_failing ? &p->failing[i] : &p->passing[i - p->n_failing];
        uint32_t run = is_failing ? i : COVER_RUNS_MAX + i - p->n_failing;

        rc = n == 0 ? note_orders(x, trial, run) : note_modulo(x, trial, run, items, n);
    }
    return rc;
}

int explaining_core(struct explaining *x)
{
    const struct asker asker = {.self = x, .ask = explaining_ask};
    struct core core = {.self = x,
                        .asker = &asker,
                        .items = x->candidates.items,
                        .n_items = x->candidates.n,
                        .n_failing = x->pool.n_failing,
                        .n_passing = x->pool.n_passing,
                        .base = x->e->base,
                        .has = has_order};
    uint32_t leaders[MODULO_ORDERS];
    uint32_t n_leaders = 0;
    int rc;

    if (x->pool.n_failing < CORE_FAILING_MIN)
        return 0;
    rc = note_all(x, NULL, 0);
    if (rc == 0)
        rc = core_find(&core);
    if (rc == 0 && core.n_orders == 0) {
        n_leaders = find_leaders(x, leaders);
        if (n_leaders > 0)
            rc = note_all(x, leaders, n_leaders);
        if (rc == 0 && n_leaders > 0)
            rc = core_find(&core);
    }
    if (rc == 0)
        describe_core(x, &core, n_leaders > 0);
    return rc;
}

/* made_up.c - see made_up.h. SPDX-License-Identifier: MIT */
#include "made_up.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { WORDS = MADE_UP_OPS_MAX / 64 };

struct state {
    const struct made_up *m;
    const struct question *q;
    struct made_up_run run;
    uint64_t needs[MADE_UP_OPS_MAX][WORDS]; /* sets of operations, a bit each */
    uint64_t ran[WORDS];
    uint64_t priorities[MADE_UP_OPS_MAX];
    bool has_priorities;
    struct rng rng;
};

static bool is_announced(const struct state *s, uint32_t op)
{
    uint32_t after = s->m->ops[op].after;

    if (s->run.at[op] != MADE_UP_NEVER || (after > 0 && s->run.at[after - 1] == MADE_UP_NEVER))
        return false;
    return s->m->exists == NULL || s->m->exists(&s->run, op);
}

/* Notes which operations must have run before each. */
static void note_orders(struct state *s)
{
    for (uint32_t i = 0; i < s->q->n_choices; i++) {
        const struct item *item = &s->m->items[s->q->choices[i].item];
        bool is_reversed = s->q->choices[i].is_reversed;
        uint32_t first = is_reversed ? item->second : item->first;
        uint32_t second = is_reversed ? item->first : item->second;

        if (item->kind == ITEM_ORDER)
            s->needs[second][first / 64] |= UINT64_C(1) << (first % 64);
    }
}

static bool is_held(const struct state *s, uint32_t op)
{
    uint64_t missing = 0;

    for (uint32_t i = 0; i < WORDS; i++)
        missing |= s->needs[op][i] & ~s->ran[i];
    return missing != 0;
}

static void draw(struct state *s)
{
    for (uint32_t i = 0; i < s->m->n_draws; i++)
        s->run.draws[i] = rng_below(&s->rng, s->m->values[i]);
    for (uint32_t i = 0; i < s->q->n_choices; i++) {
        const struct item *item = &s->m->items[s->q->choices[i].item];

        if (item->kind == ITEM_DRAW)
            s->run.draws[item->first] = s->m->drawn[item->first];
    }
}

/* The next operation, or UINT32_MAX; *pending says whether any was there. */
static uint32_t pick(struct state *s, bool *pending)
{
    uint32_t enabled[MADE_UP_OPS_MAX];
    uint32_t n = 0;
    uint32_t best = 0;

    *pending = false;
    for (uint32_t op = 0; op < s->m->n_ops; op++) {
        if (!is_announced(s, op))
            continue;
        *pending = true;
        if (!is_held(s, op))
            enabled[n++] = op;
    }
    if (n == 0)
        return UINT32_MAX;
    for (uint32_t i = 1; i < n; i++)
        best = s->priorities[enabled[i]] > s->priorities[enabled[best]] ? i : best;
    return s->has_priorities ? enabled[best] : enabled[rng_below(&s->rng, n)];
}

/* One trial, of which so many steps are those of the failing one. True: it has come to its end. */
static bool run_trial(struct made_up *m, const struct question *q, uint64_t keep, uint32_t trial,
                      struct made_up_run *out)
{
    struct state s = {.m = m, .q = q, .has_priorities = trial % 2 == 1};
    bool pending = true;

    rng_init(&s.rng, q->stream, trial);
    for (uint32_t op = 0; op < m->n_ops; op++) {
        s.run.at[op] = MADE_UP_NEVER;
        s.priorities[op] = rng_next(&s.rng);
    }
    draw(&s);
    note_orders(&s);
    for (uint32_t i = 0; (keep > 0 || q->from.is_kept) && !m->draws_late && i < m->n_draws; i++)
        s.run.draws[i] = m->drawn[i];
    while (pending) {
        uint32_t op = s.run.n_ran < keep ? m->order[s.run.n_ran] : pick(&s, &pending);

        if (op == UINT32_MAX)
            break;
        s.run.at[op] = s.run.n_ran++;
        s.ran[op / 64] |= UINT64_C(1) << (op % 64);
    }
    m->executions++;
    *out = s.run;
    return !pending;
}

bool made_up_try(struct made_up *m, uint32_t trial, struct made_up_run *out)
{
    const struct question q = {.stream = 1000};

    return run_trial(m, &q, 0, trial, out) && m->fails(out);
}

bool made_up_holds(const struct made_up *m, const struct made_up_run *run, uint32_t item)
{
    const struct item *i = &m->items[item];

    if (i->kind == ITEM_DRAW)
        return run->draws[i->first] == m->drawn[i->first];
    return run->at[i->second] == MADE_UP_NEVER || before(run, i->first, i->second);
}

/* Blames the choices for which something was held at the end of a trial that got stuck, because
 * what it waited for was not there. */
static void blame(const struct made_up *m, const struct question *q, const struct made_up_run *run)
{
    for (uint32_t i = 0; q->blamed != NULL && i < q->n_choices; i++) {
        const struct item *item = &m->items[q->choices[i].item];
        uint32_t after = m->ops[item->first].after;
        bool is_there = (after == 0 || run->at[after - 1] != MADE_UP_NEVER) &&
                        (m->exists == NULL || m->exists(run, item->first));
        bool is_waiting = run->at[item->first] == MADE_UP_NEVER && !is_there &&
                          run->at[item->second] == MADE_UP_NEVER;

        q->blamed[i] += item->kind == ITEM_ORDER && is_waiting;
    }
}

static int run_trials(struct made_up *m, const struct question *q, uint64_t keep,
                      struct answer *out)
{
    struct made_up_run run;

    for (uint32_t i = 0; i < q->trials && out->trials - out->failed <= q->misses_max; i++) {
        if (m->executions_max > 0 && m->executions >= m->executions_max)
            return EXPLAIN_OVER;
        out->trials++;
        if (run_trial(m, q, keep, i, &run))
            out->failed += m->fails(&run);
        else {
            out->stuck++;
            blame(m, q, &run);
        }
    }
    return 0;
}

static int ask(void *self, const struct question *q, struct answer *out)
{
    return run_trials(self, q, q->from.is_kept ? q->from.steps : 0, out);
}

static int after(void *self, uint64_t steps, const struct question *q, struct answer *out)
{
    return run_trials(self, q, steps, out);
}

static bool announces(const struct made_up *m, uint32_t a, uint32_t b)
{
    while (m->ops[b].after > 0) {
        b = m->ops[b].after - 1;
        if (b == a)
            return true;
    }
    return false;
}

void made_up_open(struct made_up *m)
{
    m->n_items = 0;
    m->executions = 0;
    for (uint32_t i = 0; i < m->n_draws && !m->hides_draws; i++)
        m->items[m->n_items++] = (struct item){.kind = ITEM_DRAW, .first = i};
    for (uint32_t i = 0; i < m->n_order; i++) {
        for (uint32_t j = i + 1; j < m->n_order; j++) {
            uint32_t a = m->order[i];
            uint32_t b = m->order[j];

            if (m->ops[a].object != m->ops[b].object || announces(m, a, b))
                continue;
            assert_true(m->n_items < EXPLAIN_ITEMS_MAX);
            m->items[m->n_items++] = (struct item){
                .kind = ITEM_ORDER, .first = a, .second = b, .rank = j, .since = i + 1};
        }
    }
    m->asker = (struct asker){.self = m, .ask = ask, .after = after};
    m->search = (struct sufficient_search){.asker = &m->asker,
                                           .items = m->items,
                                           .n_items = m->n_items,
                                           .n_known = m->n_items,
                                           .next_stream = STREAM_VERIFY};
}

uint32_t made_up_order(const struct made_up *m, uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < m->n_items; i++) {
        if (m->items[i].kind == ITEM_ORDER && m->items[i].first == first &&
            m->items[i].second == second)
            return i;
    }
    fail_msg("there is no such order");
    return 0;
}

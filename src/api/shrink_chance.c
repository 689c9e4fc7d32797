/* shrink_chance.c - tries to leave out, move and change several things at a time, by chance.
 *
 * What is left when nothing can be left out alone may still hold much that could go together with
 * something else: an election and the fault that made it necessary, a request and the timeout that
 * has to come sooner then. Candidates are followed by name. They come from a seed, so the result
 * does not depend on who runs them. SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <string.h>

enum {
    SHORT = 40,               /* steps of a trial for which this is not worth it */
    STEPS_MAX = 1 << 20,      /* of candidates in a row in vain */
    CANDIDATES_MIN = 256,     /* in a row, whatever their steps are, ... */
    CANDIDATES_FOR_EACH = 32, /* ... and for each step of the trial, if that is less */
    EDITS_MAX = 4,            /* of one candidate */
};

/* A candidate that is being made. */
struct edited {
    struct shrink *s;
    struct rng rng;
    uint64_t *ids;
    uint64_t *names;
    struct plan_draw *draws;
    uint64_t *is_out; /* of each step */
    uint32_t n;       /* steps of the smallest trial */
    uint32_t n_draws;
    uint32_t moved; /* a step that goes elsewhere, plus 1; 0: none does */
    uint32_t where; /* before this one */
};

static uint32_t below(struct edited *e, uint32_t n)
{
    return rng_below(&e->rng, n);
}

/* A small number more often than a large one, from 1 on. */
static uint32_t size_below(struct edited *e, uint32_t n)
{
    uint32_t most = 1;

    while (most < n && below(e, 3) != 0)
        most *= 2;
    return 1 + below(e, most < n ? most : n);
}

static void leave_out_range(struct edited *e)
{
    uint32_t size = size_below(e, e->n / 2);
    uint32_t from = below(e, e->n);

    for (uint32_t i = from; i < e->n && i < from + size; i++)
        e->is_out[i] = 1;
}

/* What follows from a step, and perhaps not what follows from a later one with its name. */
static void leave_out_tree(struct edited *e)
{
    const struct shrink_best *best = &e->s->best;
    uint32_t from = below(e, e->n);
    uint32_t skipped = below(e, 4);
    uint64_t mark = 2;

    for (uint32_t i = from; i < e->n; i++) {
        uint32_t parent = best->ops[i].cause - 1;
        bool follows = i == from || (parent != UINT32_MAX && (e->is_out[parent] & mark) != 0);

        if (follows && i != from && best->names[i] == best->names[from] && skipped-- == 0)
            follows = false;
        if (follows)
            e->is_out[i] |= mark | 1;
    }
    for (uint32_t i = from; i < e->n; i++)
        e->is_out[i] &= 1;
}

/* A machine does nothing for a while. */
static void leave_out_task(struct edited *e)
{
    const struct shrink_best *best = &e->s->best;
    uint32_t from = below(e, e->n);
    uint32_t size = size_below(e, e->n);

    for (uint32_t i = from; i < e->n && i < from + size; i++) {
        if (best->ops[i].task == best->ops[from].task)
            e->is_out[i] = 1;
    }
}

/* Gives a value to a draw that had none. What is too large for it becomes the largest. */
static void add_draw(struct edited *e)
{
    const struct shrink_best *best = &e->s->best;
    const struct lab_entry *entry = &best->entries[rng_below64(&e->rng, best->result.decisions)];

    if (!entry->is_draw || entry->value != 0 || e->n_draws == SHRINK_ENTRIES_MAX)
        return;
    e->draws[e->n_draws++] = (struct plan_draw){entry->place, size_below(e, 256)};
}

static void change_draw(struct edited *e)
{
    struct plan_draw *draw;

    if (e->n_draws == 0)
        return;
    draw = &e->draws[below(e, e->n_draws)];
    draw->value = below(e, 2) == 0
                      ? 0
                      : rng_below64(&e->rng, draw->value < UINT64_MAX / 4 ? draw->value * 2 + 2
                                                                          : draw->value);
}

static void move_step(struct edited *e)
{
    uint32_t distance = size_below(e, e->n);

    e->moved = 1 + below(e, e->n);
    if (below(e, 2) == 0)
        e->where = e->moved - 1 > distance ? e->moved - 1 - distance : 0;
    else
        e->where = e->moved + distance < e->n ? e->moved + distance : e->n;
}

static void edit(struct edited *e)
{
    static void (*const edits[])(struct edited * e) = {
        leave_out_range, leave_out_range, leave_out_tree, leave_out_tree, leave_out_task,
        change_draw,     change_draw,     move_step,      add_draw,
    };

    edits[below(e, sizeof(edits) / sizeof(edits[0]))](e);
}

static void put(struct edited *e, uint32_t step, uint32_t *n)
{
    e->ids[*n] = e->s->best.ids[step];
    e->names[(*n)++] = e->s->best.names[step];
}

static uint32_t put_all(struct edited *e)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i <= e->n; i++) {
        if (e->moved != 0 && e->where == i)
            put(e, e->moved - 1, &n);
        if (i < e->n && e->is_out[i] == 0 && i + 1 != e->moved)
            put(e, i, &n);
    }
    return n;
}

/* Makes candidate i. */
static void make(struct shrink *s, uint32_t i, uint64_t number)
{
    struct edited e = {.s = s,
                       .ids = s->scratch_ids + (size_t)i * SHRINK_ENTRIES_MAX,
                       .names = s->scratch_names + (size_t)i * SHRINK_ENTRIES_MAX,
                       .draws = s->scratch_draws + (size_t)i * SHRINK_ENTRIES_MAX,
                       .is_out = s->entries,
                       .n = s->best.n_ids,
                       .n_draws = s->best.n_draws};
    uint32_t edits;

    rng_init(&e.rng, s->fair_seed, number);
    memset(e.is_out, 0, e.n * sizeof(*e.is_out));
    memcpy(e.draws, s->best.places, e.n_draws * sizeof(*e.draws));
    edits = 1 + below(&e, EDITS_MAX);
    for (uint32_t k = 0; k < edits; k++)
        edit(&e);
    s->plans[i] = shrink_plan_by_name(s);
    s->plans[i].ids = e.ids;
    s->plans[i].names = e.names;
    s->plans[i].n_ids = put_all(&e);
    s->plans[i].draws = e.draws;
    s->plans[i].n_draws = e.n_draws;
    shrink_set_limit(s, i, shrink_length(s, &s->best.result));
}

bool shrink_by_chance(struct shrink *s)
{
    bool is_smaller = false;
    uint64_t in_vain = 0;

    if (shrink_length(s, &s->best.result) < SHORT || s->is_dear || s->options->repeats > 1)
        return false;
    while (!s->is_stopped) {
        uint64_t length = shrink_length(s, &s->best.result);
        uint64_t most = STEPS_MAX / s->best.result.steps;
        uint32_t found;

        most = most < CANDIDATES_MIN ? CANDIDATES_MIN : most;
        most = most > CANDIDATES_FOR_EACH * length ? CANDIDATES_FOR_EACH * length : most;
        if (in_vain >= most || length < SHORT)
            break;
        for (uint32_t i = 0; i < SHRINK_WIDTH; i++)
            make(s, i, ++s->round);
        found = shrink_try(s, SHRINK_WIDTH);
        if (found == DDMIN_STOP)
            break;
        in_vain += found < SHRINK_WIDTH ? found + 1 : found;
        if (found == SHRINK_WIDTH)
            continue;
        shrink_take(s, found);
        if (shrink_length(s, &s->best.result) == length)
            continue;
        is_smaller = true;
        in_vain = 0;
    }
    return is_smaller;
}

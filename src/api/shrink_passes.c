/* shrink_passes.c - what can be left out of a trial: draws, operations; and smaller values.
 * SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <string.h>

enum { LARGE = 300 }; /* a value that the usual ones below it do not come near to */

/* ---- Contents ------------------------------------------------------------------------------- */

static uint64_t content_of_draw(const struct plan_draw *draw)
{
    return mix_pair(draw->key, draw->value);
}

static uint64_t hash_draws(const struct shrink *s)
{
    uint64_t hash = 1;

    for (uint32_t i = 0; i < s->best.n_draws; i++)
        hash = mix_pair(hash, content_of_draw(&s->best.draws[i]));
    return hash;
}

static uint64_t hash_ids(const struct shrink *s)
{
    uint64_t hash = 2;

    for (uint32_t i = 0; i < s->best.n_ids; i++)
        hash = mix_pair(hash, s->best.ids[i]);
    return hash;
}

/* A candidate that is too long to count is one that counts under another limit. */
static uint64_t hash_with_limit(uint64_t hash, uint64_t limit)
{
    return mix_pair(hash, limit);
}

/* ---- Limits --------------------------------------------------------------------------------- */

void shrink_set_limit(struct shrink *s, uint32_t i, uint64_t length)
{
    s->limits[i] = 0;
    if (s->has_tail)
        s->plans[i].fair_from = length;
    else
        s->limits[i] = length > 0 ? length : 1;
}

/* ---- Draws ---------------------------------------------------------------------------------- */

static uint32_t test_draws(void *self, const struct ddmin_range *without, uint32_t n)
{
    struct shrink *s = self;
    const struct shrink_best *best = &s->best;

    for (uint32_t i = 0; i < n; i++) {
        struct plan_draw *draws = s->scratch_draws + (size_t)i * SHRINK_ENTRIES_MAX;
        uint32_t left = best->n_draws - (without[i].to - without[i].from);

        memcpy(draws, best->draws, without[i].from * sizeof(*draws));
        memcpy(draws + without[i].from, best->draws + without[i].to,
               (best->n_draws - without[i].to) * sizeof(*draws));
        s->plans[i] = shrink_plan(s);
        s->plans[i].draws = draws;
        s->plans[i].n_draws = left;
        shrink_set_limit(s, i, shrink_length(s, &best->result));
    }
    return shrink_try(s, n);
}

static void list_draws(struct shrink *s, struct ddmin *d)
{
    for (uint32_t i = 0; i < s->best.n_draws; i++)
        s->entries[i] = content_of_draw(&s->best.draws[i]);
    d->entries = s->entries;
    d->n = s->best.n_draws;
    d->rest = hash_with_limit(hash_ids(s), shrink_length(s, &s->best.result));
}

static void take_draws(void *self, struct ddmin *d, struct ddmin_range without)
{
    struct shrink *s = self;

    (void)without;
    shrink_take(s, d->taken);
    list_draws(s, d);
}

static bool run_ddmin(struct shrink *s, struct ddmin *d)
{
    bool is_smaller;

    d->memory = &s->memory;
    d->width = SHRINK_WIDTH;
    d->self = s;
    is_smaller = ddmin_run(d);
    s->is_stopped |= d->is_stopped;
    return is_smaller;
}

bool shrink_draws(struct shrink *s)
{
    struct ddmin d = {.test = test_draws, .take = take_draws};

    list_draws(s, &d);
    return run_ddmin(s, &d);
}

/* ---- Operations ----------------------------------------------------------------------------- */

/* To be shorter a candidate must fail before the trial does that it is made of. Where a trial may
 * be cut anywhere, it is cut where its list ends. */
static uint32_t test_ids(void *self, const struct ddmin_range *without, uint32_t n)
{
    struct shrink *s = self;
    const struct shrink_best *best = &s->best;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t *ids = s->scratch_ids + (size_t)i * SHRINK_ENTRIES_MAX;
        uint32_t left = best->n_ids - (without[i].to - without[i].from);

        memcpy(ids, best->ids, without[i].from * sizeof(*ids));
        memcpy(ids + without[i].from, best->ids + without[i].to,
               (best->n_ids - without[i].to) * sizeof(*ids));
        s->plans[i] = shrink_plan(s);
        s->plans[i].ids = ids;
        s->plans[i].n_ids = left;
        shrink_set_limit(s, i, s->is_cut ? left : shrink_length(s, &best->result) - 1);
    }
    return shrink_try(s, n);
}

static void list_ids(struct shrink *s, struct ddmin *d)
{
    memcpy(s->entries, s->best.ids, s->best.n_ids * sizeof(*s->entries));
    d->entries = s->entries;
    d->n = s->best.n_ids;
    d->rest = hash_with_limit(hash_draws(s), shrink_length(s, &s->best.result) - 1);
}

static void take_ids(void *self, struct ddmin *d, struct ddmin_range without)
{
    struct shrink *s = self;

    (void)without;
    shrink_take(s, d->taken);
    list_ids(s, d);
}

bool shrink_ids(struct shrink *s)
{
    struct ddmin d = {.test = test_ids, .take = take_ids};

    if (shrink_length(s, &s->best.result) <= 1)
        return false; /* a trial has a step */
    list_ids(s, &d);
    return run_ddmin(s, &d);
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Smaller values than this one: all if they are few; 1, 2, 3, 4, 6, 9, 13, ..., and the one before
 * it. Of one that is larger than these go, its half, quarter and so on, too, and the second one
 * before it. */
static uint32_t list_values(uint64_t value, uint64_t *out)
{
    uint32_t room = value > LARGE ? SHRINK_WIDTH - 10 : SHRINK_WIDTH - 1;
    bool has_all = value <= SHRINK_WIDTH;
    uint32_t n = 0;

    for (uint64_t v = 1; v < value && n < room; v = v < 4 || has_all ? v + 1 : v + v / 2)
        out[n++] = v;
    for (uint32_t shift = 8; value > LARGE && shift > 0; shift--)
        out[n++] = value >> shift;
    if (value > LARGE)
        out[n++] = value - 2;
    if (value > 1 && out[n - 1] != value - 1)
        out[n++] = value - 1;
    return n;
}

static uint64_t content_of_value(const struct shrink *s, uint32_t draw, uint64_t value)
{
    struct plan_draw lowered = {s->best.draws[draw].key, value};
    uint64_t hash =
        hash_with_limit(mix_pair(hash_ids(s), hash_draws(s)), shrink_length(s, &s->best.result));

    return mix_pair(hash, content_of_draw(&lowered));
}

/* Tries some values for a draw, and gives it the first that will do: returns which; n: none. */
static uint32_t try_values(struct shrink *s, uint32_t draw, const uint64_t *values, uint32_t n)
{
    uint32_t first;

    for (uint32_t i = 0; i < n; i++) {
        struct plan_draw *draws = s->scratch_draws + (size_t)i * SHRINK_ENTRIES_MAX;

        memcpy(draws, s->best.draws, s->best.n_draws * sizeof(*draws));
        draws[draw].value = values[i];
        s->plans[i] = shrink_plan(s);
        s->plans[i].draws = draws;
        shrink_set_limit(s, i, shrink_length(s, &s->best.result));
    }
    first = shrink_try(s, n);
    if (first < n)
        shrink_take(s, first);
    return first;
}

/* Comes closer to where values begin to do, which is above `low`. */
static void narrow(struct shrink *s, uint32_t draw, uint64_t key, uint64_t low)
{
    while (!s->is_stopped && draw < s->best.n_draws && s->best.draws[draw].key == key &&
           s->best.draws[draw].value > low + 1) {
        uint64_t values[SHRINK_WIDTH];
        uint64_t between = s->best.draws[draw].value - low - 1;
        uint32_t n = between < SHRINK_WIDTH ? (uint32_t)between : SHRINK_WIDTH;
        uint32_t first;

        for (uint32_t i = 0; i < n; i++)
            values[i] = low + 1 + between / n * i + between % n * i / n;
        first = try_values(s, draw, values, n);
        if (first == DDMIN_STOP)
            return;
        low = first > 0 ? values[first - 1] : low;
    }
}

/* Gives a draw the smallest of some values that will do. */
static bool lower(struct shrink *s, uint32_t draw)
{
    uint64_t values[SHRINK_WIDTH];
    uint32_t n = list_values(s->best.draws[draw].value, values);
    uint64_t content = content_of_value(s, draw, s->best.draws[draw].value);
    uint64_t key = s->best.draws[draw].key;
    uint32_t first;

    if (n == 0 || ddmin_memory_has(&s->memory, content))
        return false;
    first = try_values(s, draw, values, n);
    if (first < n)
        narrow(s, draw, key, first > 0 ? values[first - 1] : 0);
    else if (first == n)
        ddmin_memory_add(&s->memory, content);
    return first < n;
}

bool shrink_values(struct shrink *s)
{
    bool is_smaller = false;

    for (uint32_t i = 0; i < s->best.n_draws && !s->is_stopped;) {
        if (lower(s, i))
            is_smaller = true; /* and perhaps it can be lower still */
        else
            i++;
    }
    return is_smaller;
}

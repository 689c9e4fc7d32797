/* shrink_rounds.c - leaves out rounds of loops: heartbeats, requests, elections that came to
 * nothing.
 *
 * A round lies between two operations of one name. Its steps are those that follow from the first
 * of them and not from the second, or all that lie between them. It cannot be left out by ids,
 * since all later rounds follow from it; so candidates are followed by name, where the first of the
 * two operations counts as the second, and what follows from it as what followed from that.
 * SPDX-License-Identifier: MIT
 */
#include "api/shrink_own.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS_MAX = 1 << 22, /* of all candidates of one sweep */
    SWEEP_MIN = 64,
};

static uint32_t n_steps(const struct shrink *s)
{
    return s->best.n_ids;
}

/* The index of the step that has announced a step; UINT32_MAX: the set-up has. */
static uint32_t parent_of(const struct shrink *s, uint32_t i)
{
    return s->best.ops[i].cause - 1;
}

/* ---- Which rounds there are ----------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const struct shrink_round *x = a;
    const struct shrink_round *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* The largest first: what they hold need not be left out piece by piece. */
static int compare_rounds(const void *a, const void *b)
{
    const struct shrink_round *x = a;
    const struct shrink_round *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->from != y->from)
        return x->from > y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (int)x->is_tree - (int)y->is_tree;
}

static void add(struct shrink *s, uint32_t *n, struct shrink_round round)
{
    if (*n < SHRINK_ROUNDS_MAX && round.size > 0)
        s->rounds[(*n)++] = round;
}

/* Rounds of which the second operation follows from the first. */
static void add_trees(struct shrink *s, uint32_t *n)
{
    uint64_t *sizes = s->entries;

    for (uint32_t i = 0; i < n_steps(s); i++)
        sizes[i] = 1;
    for (uint32_t i = n_steps(s); i-- > 0;) {
        if (parent_of(s, i) != UINT32_MAX)
            sizes[parent_of(s, i)] += sizes[i];
    }
    for (uint32_t to = 0; to < n_steps(s); to++) {
        uint32_t back = 0;

        for (uint32_t from = parent_of(s, to); from != UINT32_MAX; from = parent_of(s, from)) {
            if (s->best.names[from] != s->best.names[to])
                continue;
            back++;
            if ((back & (back - 1)) == 0)
                add(s, n,
                    (struct shrink_round){.from = from,
                                          .to = to,
                                          .size = (uint32_t)(sizes[from] - sizes[to]),
                                          .is_tree = true});
        }
    }
}

/* Rounds of all that lies between two operations. The places of each name lie side by side. */
static void add_ranges(struct shrink *s, uint32_t *n)
{
    struct shrink_round *places = s->rounds + SHRINK_ROUNDS_MAX;
    uint32_t count = n_steps(s);

    for (uint32_t i = 0; i < count; i++)
        places[i] = (struct shrink_round){.name = s->best.names[i], .from = i};
    qsort(places, count, sizeof(*places), compare_names);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t back = 1; back <= i && places[i - back].name == places[i].name; back *= 2)
            add(s, n,
                (struct shrink_round){.from = places[i - back].from,
                                      .to = places[i].from,
                                      .size = places[i].from - places[i - back].from});
    }
}

/* Lists rounds, and of too many only some of all sizes. */
static uint32_t list_rounds(struct shrink *s)
{
    uint32_t most = STEPS_MAX / (uint32_t)(s->best.result.steps + 1);
    uint32_t n = 0;
    uint32_t kept = 0;

    add_trees(s, &n);
    add_ranges(s, &n);
    qsort(s->rounds, n, sizeof(*s->rounds), compare_rounds);
    most = most < SWEEP_MIN ? SWEEP_MIN : most;
    if (n <= most)
        return n;
    for (; kept < most; kept++)
        s->rounds[kept] = s->rounds[(uint64_t)kept * n / most];
    return kept;
}

/* ---- Faults --------------------------------------------------------------------------------- */

/* When faults can strike is drawn when a trial begins, and a trial that becomes shorter reaches
 * those steps too late. The list says when they strike, so they may as well be there from the
 * first step on. Whoever strikes first is the first in the list then, whatever its id is. */
void shrink_dues(struct shrink *s)
{
    uint64_t label = follow_label("fault from step");
    uint32_t kept = 0;
    uint32_t draw = 0;

    for (uint64_t i = 0; i < s->best.result.decisions && draw < s->best.n_draws; i++) {
        const struct lab_entry *entry = &s->best.entries[i];

        if (!entry->is_draw || entry->value == 0)
            continue;
        if (entry->label != label)
            s->scratch_draws[kept++] = s->best.places[draw];
        draw++;
    }
    if (kept == draw)
        return;
    s->plans[0] = shrink_plan_by_name(s);
    s->plans[0].draws = s->scratch_draws;
    s->plans[0].n_draws = kept;
    shrink_set_limit(s, 0, shrink_length(s, &s->best.result));
    if (shrink_try(s, 1) == 0)
        shrink_take(s, 0);
}

/* ---- Leaving them out ----------------------------------------------------------------------- */

/* Makes candidate i: the trial without a round. Returns what stands for its content. */
static uint64_t leave_out(struct shrink *s, uint32_t i, const struct shrink_round *round)
{
    uint64_t *ids = s->scratch_ids + (size_t)i * SHRINK_ENTRIES_MAX;
    uint64_t *names = s->scratch_names + (size_t)i * SHRINK_ENTRIES_MAX;
    uint64_t *is_out = s->entries;
    uint64_t limit = shrink_length(s, &s->best.result) - 1;
    uint64_t hash = mix_pair(limit, s->best.n_draws);
    uint32_t n = 0;

    for (uint32_t k = 0; k < n_steps(s); k++) {
        uint32_t parent = parent_of(s, k);

        if (round->is_tree)
            is_out[k] =
                k == round->from || (k != round->to && parent != UINT32_MAX && is_out[parent] != 0);
        else
            is_out[k] = k >= round->from && k < round->to;
        if (is_out[k] != 0)
            continue;
        ids[n] = s->best.ids[k];
        names[n] = s->best.names[k];
        hash = mix_pair(hash, ids[n++]);
    }
    for (uint32_t k = 0; k < s->best.n_draws; k++)
        hash = mix_pair(hash, mix_pair(s->best.places[k].key, s->best.places[k].value));
    s->plans[i] = shrink_plan_by_name(s);
    s->plans[i].ids = ids;
    s->plans[i].names = names;
    s->plans[i].n_ids = n;
    shrink_set_limit(s, i, limit);
    return mix_pair(hash, 3);
}

/* Tries the rounds from *next on until one can be left out. True: it is. */
static bool try_rounds(struct shrink *s, uint32_t n, uint32_t *next)
{
    while (*next < n && !s->is_stopped) {
        uint64_t contents[SHRINK_WIDTH];
        uint32_t width = 0;
        uint32_t found;

        for (; width < SHRINK_WIDTH && *next < n; ++*next) {
            contents[width] = leave_out(s, width, &s->rounds[*next]);
            width += !ddmin_memory_has(&s->memory, contents[width]);
        }
        if (width == 0)
            return false;
        found = shrink_try(s, width);
        if (found == DDMIN_STOP)
            return false;
        for (uint32_t i = 0; i < found; i++)
            ddmin_memory_add(&s->memory, contents[i]);
        if (found == width)
            continue;
        shrink_take(s, found);
        return true;
    }
    return false;
}

bool shrink_rounds(struct shrink *s)
{
    bool is_smaller = false;
    bool goes_on = shrink_length(s, &s->best.result) > 1;

    while (goes_on && !s->is_stopped) {
        uint32_t n = list_rounds(s);
        uint32_t next = 0;

        goes_on = try_rounds(s, n, &next);
        is_smaller |= goes_on;
    }
    return is_smaller;
}

/* chains.c - see chains.h.
 *
 * Whether the end of a chain comes before an operation is asked only when the operation is met. An
 * end that does so comes before (or is) one of the two that the operation follows directly, and was
 * the end of its chain when that one was met, because operations are met in an order that respects
 * theirs. So it suffices that each remembers the ends that came before it: its covers.
 * SPDX-License-Identifier: MIT
 */
#include "strategy/chains.h"

void chains_start(struct chains *c, uint64_t base)
{
    c->trial++;
    c->base = base;
    c->n = 0;
    c->n_groups = 0;
    c->n_covers = 0;
    c->is_general = false;
}

/* ---- Order ---------------------------------------------------------------------------------- */

/* The step that announced an operation, counted from base; 0: none that is known. */
static uint32_t cause_of(const struct chains *c, const struct sn_op *op)
{
    uint64_t cause = op->cause > c->base ? op->cause - c->base : 0;

    return cause <= CHAINS_STEPS_MAX ? (uint32_t)cause : 0;
}

/* The step that took what stood before an operation in its queue; 0: none that is known. What a
 * machine has deferred may be taken after what came later: these two are not ordered. */
static uint32_t previous_of(const struct chains *c, const struct sn_op *op)
{
    const struct chain_last *last = &c->lasts[op->source];

    if (last->trial != c->trial || last->cause > op->cause ||
        (last->cause == op->cause && last->number >= op->number))
        return 0;
    return last->step;
}

static bool is_end(const struct chains *c, struct chain_place place)
{
    return place.chain != 0 && c->all[place.chain].length == place.length;
}

/* Whether a step comes before another one, or is it, in a forest: goes from chain to chain. */
static bool is_ancestor(const struct chains *c, uint32_t step, uint32_t of)
{
    struct chain_place place = c->steps[step].place;

    while (of >= step && of != 0) {
        struct chain_place at = c->steps[of].place;

        if (at.chain == 0)
            return false;
        if (at.chain == place.chain)
            return place.length <= at.length;
        of = c->all[at.chain].parent;
    }
    return false;
}

/* ---- Groups --------------------------------------------------------------------------------- */

static uint32_t *group_at(struct chains *c, uint32_t group)
{
    return &c->groups[group * (group - 1) / 2];
}

static void join_group(struct chains *c, uint32_t group, uint32_t chain)
{
    if (group > c->n_groups) {
        c->n_groups = group;
        c->sizes[group] = 0;
    }
    group_at(c, group)[c->sizes[group]++] = chain;
    c->all[chain].group = group;
}

/* The chains of the forest are distributed: their ends are unordered, so any way will do. */
static void begin_groups(struct chains *c)
{
    uint32_t group = 1;

    c->is_general = true;
    for (uint32_t i = 1; i <= c->n; i++) {
        if (group <= c->n_groups && c->sizes[group] == group)
            group++;
        join_group(c, group, i);
    }
}

/* The ends of the chains of a group must be unordered. An operation that comes after several of
 * them has been put at the end of `chain`: the others change places with the group before, none of
 * whose ends comes before the operation. */
static void swap_groups(struct chains *c, uint32_t group, uint32_t chain)
{
    uint32_t *upper = group_at(c, group);
    uint32_t *lower = group_at(c, group - 1);
    uint32_t n_upper = c->sizes[group];
    uint32_t n_lower = c->sizes[group - 1];
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_upper; i++) {
        uint32_t other = upper[i];
        uint32_t was = i < n_lower ? lower[i] : 0;

        if (was != 0) {
            upper[i] = was;
            c->all[was].group = group;
        }
        if (other != chain) {
            lower[n++] = other;
            c->all[other].group = group - 1;
        }
    }
    for (uint32_t i = n_upper; i < n_lower; i++) {
        upper[i] = lower[i];
        c->all[upper[i]].group = group;
    }
    upper[n_lower] = chain;
    c->all[chain].group = group;
    c->sizes[group] = n_lower + 1;
    c->sizes[group - 1] = n;
}

/* ---- Meeting -------------------------------------------------------------------------------- */

static uint32_t begin_chain(struct chains *c, uint32_t cause)
{
    if (c->n == CHAINS_MAX)
        return 0;
    c->all[++c->n] = (struct chain){.parent = cause};
    return c->n;
}

static void add_cover(struct chains *c, struct chain_link *link, struct chain_place place)
{
    struct chain *chain = &c->all[place.chain];

    if (!is_end(c, place) || chain->mark == c->marks)
        return;
    chain->mark = c->marks;
    c->covers[link->covers + link->n_covers++] = place;
}

/* Adds the ends that come before a step, or are it. If there is no room only the step counts. */
static void cover_step(struct chains *c, struct chain_link *link, uint32_t step)
{
    const struct chain_link *before = &c->steps[step];

    if (step == 0)
        return;
    add_cover(c, link, before->place);
    if (link->covers + link->n_covers + before->n_covers + CHAINS_COVERS_SPARE > CHAINS_COVERS_MAX)
        return;
    for (uint32_t i = 0; i < before->n_covers; i++)
        add_cover(c, link, c->covers[before->covers + i]);
}

/* The first group that has room or an end among the covers. */
static uint32_t find_group(const struct chains *c, const struct chain_link *link)
{
    uint32_t group = 1;

    while (group <= c->n_groups && c->sizes[group] == group)
        group++;
    for (uint32_t i = 0; i < link->n_covers; i++) {
        uint32_t of = c->all[c->covers[link->covers + i].chain].group;

        if (of < group)
            group = of;
    }
    return group;
}

/* A chain of a group whose end is covered, which then is no cover any more; *n is how many there
 * are. */
static uint32_t take_cover(struct chains *c, struct chain_link *link, uint32_t group, uint32_t *n)
{
    struct chain_place *covers = &c->covers[link->covers];
    uint32_t found = 0;

    *n = 0;
    for (uint32_t i = 0; i < link->n_covers; i++) {
        if (c->all[covers[i].chain].group == group && (*n)++ == 0)
            found = i;
    }
    if (*n == 0)
        return 0;
    group = covers[found].chain;
    covers[found] = covers[--link->n_covers];
    return group;
}

static uint32_t meet_general(struct chains *c, struct chain_link *link, uint32_t cause,
                             uint32_t previous)
{
    bool is_full = c->n_covers + CHAINS_COVERS_SPARE > CHAINS_COVERS_MAX;
    uint32_t group;
    uint32_t chain;
    uint32_t n;

    c->marks++;
    link->covers = is_full ? CHAINS_COVERS_MAX : c->n_covers;
    cover_step(c, link, cause);
    cover_step(c, link, previous);
    group = find_group(c, link);
    chain = take_cover(c, link, group, &n);
    if (n == 0) {
        chain = group <= CHAINS_GROUPS_MAX ? begin_chain(c, cause) : 0;
        if (chain != 0)
            join_group(c, group, chain);
    } else if (n > 1) {
        swap_groups(c, group, chain);
    }
    if (is_full)
        link->n_covers = 0;
    else
        c->n_covers = link->covers + link->n_covers;
    return chain;
}

uint32_t chains_meet(struct chains *c, uint32_t index, const struct sn_op *op, bool is_queued,
                     bool *is_new)
{
    struct chain_pending *pending = &c->pending[index];
    uint32_t n = c->n;
    uint32_t cause;
    uint32_t previous;
    uint32_t chain;

    *is_new = false;
    if (unlikely(index >= CHAINS_OPS_MAX || op->source >= CHAINS_OPS_MAX))
        return 0;
    if (pending->trial == c->trial && pending->id == op->id)
        return pending->link.place.chain;
    *pending = (struct chain_pending){.id = op->id, .trial = c->trial};
    cause = cause_of(c, op);
    previous = is_queued ? previous_of(c, op) : 0;
    if (!c->is_general && previous != 0 && !is_ancestor(c, previous, cause))
        begin_groups(c);
    if (c->is_general)
        chain = meet_general(c, &pending->link, cause, previous);
    else if (cause != 0 && is_end(c, c->steps[cause].place))
        chain = c->steps[cause].place.chain;
    else
        chain = begin_chain(c, cause);
    *is_new = c->n != n;
    pending->link.place.chain = chain;
    pending->link.place.length = chain != 0 ? ++c->all[chain].length : 0;
    return chain;
}

void chains_run(struct chains *c, uint32_t index, const struct sn_op *op, uint64_t step)
{
    struct chain_pending *pending = &c->pending[index];
    uint64_t own = step - c->base;

    if (own > CHAINS_STEPS_MAX)
        return;
    if (unlikely(index >= CHAINS_OPS_MAX || op->source >= CHAINS_OPS_MAX)) {
        c->steps[own] = (struct chain_link){.n_covers = 0};
        return;
    }
    c->steps[own] = pending->link;
    c->lasts[op->source] = (struct chain_last){
        .trial = c->trial, .step = (uint32_t)own, .cause = op->cause, .number = op->number};
    pending->trial = 0;
}

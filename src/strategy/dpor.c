/* dpor.c - dynamic partial order reduction with source sets and sleep sets.
 *
 * Of what could come before an event instead of it, one first operation is tried there, unless some
 * other first operation of the same was tried or will be. What was tried sleeps until something
 * that it depends on has happened. A trial in which everything sleeps is equivalent to an earlier
 * one and is abandoned; what it has shown until then counts.
 *
 * Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction" (POPL 2014),
 * algorithm 1. SPDX-License-Identifier: MIT
 */
#include "strategy/backtrack.h"
#include "strategy/views.h"

#include <string.h>

static bool is_set(const uint64_t *set, uint32_t event)
{
    return (set[event / 64] >> (event % 64) & 1) != 0;
}

static bool have_common(const uint64_t *a, const uint64_t *b, uint32_t first, uint32_t last)
{
    for (uint32_t w = first / 64; w <= last / 64; w++) {
        if ((a[w] & b[w]) != 0)
            return true;
    }
    return false;
}

/* Whether the act of a reversal depends on none of the events that come before it there. */
static bool can_act_be_first(const struct course *c, const struct reversal *r,
                             const uint64_t *members)
{
    if (r->cause > r->at || !(r->has_run ? backtrack_could_run_before(c, r->at, r->until)
                                         : backtrack_could_run(c, r->at, r->act.id)))
        return false;
    for (uint32_t k = r->at + 1; k < r->until; k++) {
        if (is_set(members, k) && course_conflict(c, c->events[k].act.footprint, r->act.footprint))
            return false;
    }
    return true;
}

/* Goes through the operations that can be the first of the reversal. */
static void plan_first(struct plans *p, struct course *c, const struct reversal *r)
{
    uint64_t *members = p->members;
    uint64_t first = 0;

    memset(&members[r->at / 64], 0, (r->until / 64 - r->at / 64 + 1) * sizeof(members[0]));
    for (uint32_t k = r->at + 1; k < r->until; k++) {
        uint64_t id = c->events[k].act.id;

        if (course_is_before(c, r->at, k))
            continue;
        if (!have_common(c->pasts[k], members, r->at, k) &&
            backtrack_could_run_before(c, r->at, k)) {
            if (plans_has(p, c, r->at, id))
                return;
            first = first != 0 ? first : id;
        }
        members[k / 64] |= UINT64_C(1) << (k % 64);
    }
    if (can_act_be_first(c, r, members)) {
        if (plans_has(p, c, r->at, r->act.id))
            return;
        first = first != 0 ? first : r->act.id;
    }
    if (first != 0)
        plans_add(p, r->at, &(struct act){.id = first});
    else
        backtrack_try_all(p, c, r->at);
}

static void learn(struct walk *w)
{
    static const struct reversal_rule rule = {.plan = plan_first};

    backtrack_learn(w, &rule);
}

static int dpor_init(void *self, const char *parameters, uint64_t seed, char *error,
                     size_t error_size)
{
    static const struct walk_rules rules = {.learn = learn,
                                            .attach = view_predicates,
                                            .sleeps = true,
                                            .wakes_wholly = true,
                                            .learns_from_abandoned = true};
    static const struct backtrack_ways ways = {.name = "dpor", .rules = &rules};

    (void)seed;
    return backtrack_init(self, &ways, parameters, error, error_size);
}

static const struct sn_strategy dpor_strategy = {
    .name = "dpor",
    .about = "every partial order of steps, few of them twice (source sets and sleep sets)",
    .init = dpor_init,
    WALK_CALLBACKS,
};

const struct strategy_entry strategy_dpor = {
    .strategy = &dpor_strategy, .loop = walk_loop, .note = walk_note, .reduces = true};

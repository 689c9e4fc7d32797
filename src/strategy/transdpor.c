/* transdpor.c - dynamic partial order reduction that tries, in place of an event, the first of what
 * leads to the operation that could have come before it.
 *
 * If the operation itself could run before the event, that is it; otherwise it is the earliest
 * event after it that happens before the operation. Without sleep sets, as published: equivalent
 * trials come up again. Without the published flag that freezes a backtrack set, and with a way out
 * where the operation that was found could not run: transdpor:paper has the published rules.
 *
 * Tasharofi, Karmani, Lauterburg, Legay, Marinov and Agha, "TransDPOR: A Novel Dynamic
 * Partial-Order Reduction Technique for Testing Actor Programs" (FMOODS/FORTE 2012).
 * SPDX-License-Identifier: MIT
 */
#include "strategy/backtrack.h"
#include "strategy/paper.h"
#include "strategy/views.h"

/* The operation of the first event after the one at which it is planned that happens before the act
 * and not after that one; 0: there is none. */
static uint64_t find_earliest(const struct course *c, const struct reversal *r)
{
    uint32_t last = r->has_run ? r->until : r->cause;

    for (uint32_t k = r->at + 1; k <= last; k++) {
        if (course_is_before(c, k, last) && !course_is_before(c, r->at, k))
            return c->events[k].act.id;
    }
    return 0;
}

static void plan_earliest(struct plans *p, struct course *c, const struct reversal *r)
{
    uint64_t id = r->act.id;

    if (!backtrack_could_run(c, r->at, id))
        id = find_earliest(c, r);
    backtrack_try(p, c, r->at, id);
}

static void learn(struct walk *w)
{
    static const struct reversal_rule rule = {.plan = plan_earliest};

    backtrack_learn(w, &rule);
}

static int transdpor_init(void *self, const char *parameters, uint64_t seed, char *error,
                          size_t error_size)
{
    static const struct walk_rules rules = {
        .learn = learn, .attach = view_predicates, .learns_from_abandoned = true};
    static const struct backtrack_ways ways = {
        .name = "transdpor", .rules = &rules, .paper = &paper_transdpor};

    (void)seed;
    return backtrack_init(self, &ways, parameters, error, error_size);
}

static const struct sn_strategy transdpor_strategy = {
    .name = "transdpor",
    .about = "every partial order of steps, some often (TransDPOR); :paper as published",
    .init = transdpor_init,
    WALK_CALLBACKS,
};

const struct strategy_entry strategy_transdpor = {
    .strategy = &transdpor_strategy, .loop = walk_loop, .note = walk_note, .reduces = true};

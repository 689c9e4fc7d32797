/* ired.c - dynamic partial order reduction that tries, in place of an event, what began the chain
 * of messages that led to the operation that could have come before it.
 *
 * The chain is followed from the operation to the event that announced it, and on from there, as
 * far as it goes without reaching the event. Each operation knows what announced it, so the chain
 * is exact; the published rule, which takes the latest message that the sender received, and a flag
 * that freezes a backtrack set miss partial orders: ired:paper has them. As published, there are no
 * sleep sets: equivalent trials come up again.
 *
 * Al-Mahfoudh, Stutsman and Gopalakrishnan, "Efficient linearizability checking for actor-based
 * systems" (Software: Practice and Experience). SPDX-License-Identifier: MIT
 */
#include "strategy/ired.h"

#include "strategy/backtrack.h"
#include "strategy/paper.h"
#include "strategy/views.h"

static void plan_root(struct plans *p, struct course *c, const struct reversal *r)
{
    uint32_t next = r->cause > r->at ? r->cause : 0;
    uint64_t id = r->act.id;

    if (r->has_run)
        next = course_enabler(c, r->until, r->at);
    for (; next != 0; next = course_enabler(c, next, r->at))
        id = c->events[next].act.id;
    backtrack_try(p, c, r->at, id);
}

void ired_learn(struct walk *w)
{
    static const struct reversal_rule rule = {.plan = plan_root};

    backtrack_learn(w, &rule);
}

static int ired_init(void *self, const char *parameters, uint64_t seed, char *error,
                     size_t error_size)
{
    static const struct walk_rules rules = {
        .learn = ired_learn, .attach = view_predicates, .learns_from_abandoned = true};
    static const struct backtrack_ways ways = {
        .name = "ired", .rules = &rules, .paper = &paper_ired};

    (void)seed;
    return backtrack_init(self, &ways, parameters, error, error_size);
}

static const struct sn_strategy ired_strategy = {
    .name = "ired",
    .about = "every partial order of steps, some often (IRed); :paper as published",
    .init = ired_init,
    WALK_CALLBACKS,
};

const struct strategy_entry strategy_ired = {
    .strategy = &ired_strategy, .loop = walk_loop, .note = walk_note, .reduces = true};

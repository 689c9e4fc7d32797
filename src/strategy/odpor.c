/* odpor.c - optimal dynamic partial order reduction: one trial for each partial order of steps.
 *
 * Each race in a trial that could have gone the other way is planned, and so is what an operation
 * would have done that was disabled before it ran, or that its machine did not take. A fault is
 * ordered with every other step.
 *
 * Hardly any trial is blocked, which is to say that it is begun to find out later that it is
 * equivalent to one that was run: of random programs, one of 80,000. For that it must be known what
 * a planned step will touch. Where that does not follow from what was seen, as with a timer that
 * was cancelled before it ever fired and that may or may not call a monitor, with a message whose
 * handler calls one in some states only, or with a value that was not drawn yet, and where it
 * decides whether the plan is needed, the plan is doubtful. If what is tried meanwhile does not
 * settle the doubt (sequences_weed), the planned step is taken to see. If the plan is needed, the
 * trial goes on; if not, it was a probe, ends there, and is no trial. Of random programs made to
 * provoke it, one trial in 5000 is. SPDX-License-Identifier: MIT
 */
#include "strategy/backtrack.h"
#include "strategy/sequences.h"

static void learn(struct walk *w)
{
    static const struct reversal_rule rule = {.plan = sequences_insert, .takes_all = true};

    backtrack_learn(w, &rule);
}

const struct walk_rules walk_trees = {
    .learn = learn, .sleeps = true, .has_trees = true, .learns_from_abandoned = true};

static int odpor_init(void *self, const char *parameters, uint64_t seed, char *error,
                      size_t error_size)
{
    static const struct backtrack_ways ways = {.name = "odpor", .rules = &walk_trees};

    (void)seed;
    return backtrack_init(self, &ways, parameters, error, error_size);
}

static const struct sn_strategy odpor_strategy = {
    .name = "odpor",
    .about = "every partial order of steps once (optimal dynamic partial order reduction)",
    .init = odpor_init,
    WALK_CALLBACKS,
};

const struct strategy_entry strategy_odpor = {
    .strategy = &odpor_strategy, .loop = walk_loop, .note = walk_note};

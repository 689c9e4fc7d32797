/* odpor.c - optimal dynamic partial order reduction: one trial for each partial order of steps.
 *
 * Each race in a trial that could have gone the other way is planned, and so is what an operation
 * would have done that was disabled before it ran, or that its machine did not take. A fault is
 * ordered with every other step.
 *
 * No trial is abandoned if what a step touches follows from what it is: if machines do nothing but
 * receive and send, for example. Where it does not, as with a timer that was cancelled before it
 * ever fired and that may or may not call a monitor, or with a message whose handler calls one in
 * some states only, a plan can lead to what was tried already. That is noticed as soon as the step
 * in question has been taken, the trial is abandoned there, and none is run twice. Of random
 * programs made to provoke it, fewer than one trial in a thousand is. SPDX-License-Identifier: MIT
 */
#include "strategy/backtrack.h"

static void learn(struct walk *w)
{
    plans_learn(&w->plans, &w->course, w->course.fresh > 0 ? w->course.fresh : 1, plans_insert);
}

static int odpor_init(void *self, const char *parameters, uint64_t seed, char *error,
                      size_t error_size)
{
    static const struct walk_rules rules = {
        .learn = learn, .sleeps = true, .has_trees = true, .learns_from_abandoned = true};
    static const struct backtrack_ways ways = {.name = "odpor", .rules = &rules};

    (void)seed;
    return backtrack_init(self, &ways, parameters, error, error_size);
}

static const struct sn_strategy odpor_strategy = {
    .name = "odpor",
    .about = "every partial order of steps once (optimal dynamic partial order reduction)",
    .state_size = sizeof(struct walk),
    .init = odpor_init,
    .begin = walk_begin,
    .pick = walk_pick,
    .draw = walk_draw,
    .told = walk_told,
    .end = walk_end,
    .is_exhausted = walk_is_exhausted,
    .within = walk_within,
    .save = walk_save,
    .load = walk_load,
    .progress = walk_progress,
    .progress_is_most = true,
};

const struct strategy_entry strategy_odpor = {
    .strategy = &odpor_strategy, .loop = walk_loop, .note = walk_note};

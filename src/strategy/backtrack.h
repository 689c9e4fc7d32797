/* backtrack.h - backtrack sets: which operations are to be tried at an event, whatever comes after.
 *
 * The strategies of this family differ in which one they add when a course shows that something
 * could have come before an event. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_BACKTRACK_H
#define STRATEGY_BACKTRACK_H

#include "strategy/reversals.h"
#include "strategy/walk.h"

/* Whether an operation was among those that could run before an event. */
bool backtrack_could_run(const struct course *c, uint32_t at, uint64_t id);

/* The same of the operation of event k, which is a later one. */
bool backtrack_could_run_before(const struct course *c, uint32_t at, uint32_t k);

/* Adds an operation to the set of an event, unless it is there. If it could not run there, all that
 * could are added. */
void backtrack_try(struct plans *p, const struct course *c, uint32_t at, uint64_t id);

/* Adds all that could run. */
void backtrack_try_all(struct plans *p, const struct course *c, uint32_t at);

/* Tells a rule of what the events of the last trial show that are new. */
void backtrack_learn(struct walk *w, const struct reversal_rule *rule);

/* The ways of one strategy: what its parameter chooses from. */
struct backtrack_ways {
    const char *name;
    const struct walk_rules *rules;
    const struct walk_rules *paper; /* as it was published; NULL: it is not there */
};

/* Initialises a walk by the parameters of a strategy: none, "causal" or "paper". 0, or -1 with a
 * sentence. */
int backtrack_init(struct walk *w, const struct backtrack_ways *ways, const char *parameters,
                   char *error, size_t error_size);

#endif

/* liviola.c - ired with a narrower dependence: two steps of a machine are dependent only if they
 * are about the same key.
 *
 * The test says by sn_dependence.keys what its events are about. Without that liviola is ired.
 *
 * Al-Mahfoudh, Stutsman and Gopalakrishnan, "Efficient linearizability checking for actor-based
 * systems" (Software: Practice and Experience). SPDX-License-Identifier: MIT
 */
#include "strategy/backtrack.h"
#include "strategy/ired.h"
#include "strategy/paper.h"
#include "strategy/views.h"

static int liviola_init(void *self, const char *parameters, uint64_t seed, char *error,
                        size_t error_size)
{
    static const struct walk_rules rules = {
        .learn = ired_learn, .attach = view_keys, .learns_from_abandoned = true};
    static const struct backtrack_ways ways = {
        .name = "liviola", .rules = &rules, .paper = &paper_liviola};

    (void)seed;
    return backtrack_init(self, &ways, parameters, error, error_size);
}

static const struct sn_strategy liviola_strategy = {
    .name = "liviola",
    .about = "ired, but only steps about the same key depend on each other; :paper as published",
    .init = liviola_init,
    WALK_CALLBACKS,
};

const struct strategy_entry strategy_liviola = {
    .strategy = &liviola_strategy, .loop = walk_loop, .note = walk_note, .reduces = true};

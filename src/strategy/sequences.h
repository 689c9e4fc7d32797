/* sequences.h - whole sequences of acts as plans: the rule of wakeup trees.
 *
 * A sequence is planned only if nothing that sleeps or is planned leads to the same. Where it is
 * not known what an act of it touches, that may be in doubt until something else was tried.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_SEQUENCES_H
#define STRATEGY_SEQUENCES_H

#include "strategy/reversals.h"

/* Plans all events that do not depend on event `at`, and then the act, unless something that is
 * planned or was tried leads to the same. */
void sequences_insert(struct plans *p, struct course *c, const struct reversal *reversal);

/* Drops doubtful plans at the beginning of those at an event that turn out to be covered by
 * something that was tried there since. */
void sequences_weed(struct plans *p, const struct course *c, uint32_t at);

#endif

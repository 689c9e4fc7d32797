/* paper.h - TransDPOR, IRed and LiViola by the rules with which they were published.
 *
 * They miss partial orders; docs/strategies.md says which. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_PAPER_H
#define STRATEGY_PAPER_H

#include "strategy/walk.h"

extern const struct walk_rules paper_transdpor;
extern const struct walk_rules paper_ired;
extern const struct walk_rules paper_liviola;

#endif

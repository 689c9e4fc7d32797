/* views.h - what a test's own knowledge makes of the dependence between steps: its predicates, and
 * the keys of LiViola. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_VIEWS_H
#define STRATEGY_VIEWS_H

#include "strategy/walk.h"

/* dpor, transdpor and ired ask the test's predicates, if there are any. */
void view_predicates(struct walk *w, const struct trial *t);

/* LiViola goes by the test's keys; without any it says that it is ired. */
void view_keys(struct walk *w, const struct trial *t);

/* The same as published: what has no key depends on nothing, and nothing is checked. */
void view_keys_as_published(struct walk *w, const struct trial *t);

#endif

/* narrow.h - leaves out of a set of items what is not needed. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARROW_H
#define EXPLAIN_NARROW_H

#include "explain/itemset.h"

/* All of these return 0, EXPLAIN_OVER or a negative SN_E*; what they have reached until then is
 * where the result would be. */

/* Leaves out items of `from`, those of least rank first, while `fixed` stay; *left is all that
 * stays. */
int narrow_items(struct sufficient_search *s, const struct items *fixed, const struct items *from,
                 uint32_t trials, struct items *left);

/* Leaves out operations: with each go all orders of it. */
int narrow_operations(struct sufficient_search *s, const struct items *fixed,
                      const struct items *orders, struct items *left);

/* Narrows a set that is enough: first its values, then operations, then single orders, and then
 * asks for less where that is enough. *wide is what there was before. */
int narrow_set(struct sufficient_search *s, struct items *set, struct items *wide);

/* All orders of a trial need not be had at once in another one: some operations may not come about
 * there. Leaves out those that are blamed most, as long as trials get stuck. */
int narrow_unstick(struct sufficient_search *s, struct items *set);

#endif

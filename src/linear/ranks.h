/* ranks.h - objects whose reads tell in which order everything took place.
 *
 * Each operation then has a rank, and an order by rank is the only one, but for operations of the
 * same rank, which may be in any order. So the history is linearizable if and only if no operation
 * has returned before another one of a smaller rank was called. SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_RANKS_H
#define LINEAR_RANKS_H

#include "linear/events.h"

#define RANK_NONE UINT32_MAX       /* may be left out */
#define RANK_LAST (UINT32_MAX - 1) /* after all reads */

/* Whether the spans fit their ranks. Otherwise *early returned before *late was called, which has a
 * smaller rank. */
bool ranks_fit(const struct events *events, const uint32_t *ranks,
               const struct sn_operation **early, const struct sn_operation **late);

#endif

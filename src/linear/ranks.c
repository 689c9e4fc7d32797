/* ranks.c - see ranks.h. SPDX-License-Identifier: MIT */
#include "linear/ranks.h"

bool ranks_fit(const struct events *events, const uint32_t *ranks,
               const struct sn_operation **early, const struct sn_operation **late)
{
    uint32_t top = 0; /* the largest rank that has returned, by *early */

    *early = NULL;
    for (size_t t = 0; t < events->n; t++) {
        struct event event = events->order[t];
        uint32_t rank = ranks[event.span];

        if (rank == RANK_NONE)
            continue;
        *late = events->spans[event.span].op;
        if (!event.is_return && *early != NULL && rank < top)
            return false;
        if (event.is_return && (*early == NULL || rank > top)) {
            *early = *late;
            top = rank;
        }
    }
    return true;
}

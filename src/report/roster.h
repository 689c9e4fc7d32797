/* roster.h - a list of different names, in the order in which they came.
 * SPDX-License-Identifier: MIT
 */
#ifndef REPORT_ROSTER_H
#define REPORT_ROSTER_H

#include "base/arena.h"

#include <stddef.h>

#define ROSTER_NONE SIZE_MAX

/* Zeroed, but for the arena, is an empty list. Names are borrowed. */
struct roster {
    struct arena *arena; /* borrowed */
    const char **list;
    size_t n;
    size_t *table; /* of indexes of the list plus 1, hashed by name; a power of two of them */
    size_t table_size;
};

/* Adds a name unless it is there; *index says where. Returns 0, or SN_ENOMEM. */
int roster_add(struct roster *roster, const char *name, size_t *index);

/* The index of a name, or ROSTER_NONE; also if it is NULL. */
size_t roster_find(const struct roster *roster, const char *name);

/* Puts the names in another order: order[i] is the index, so far, of the one that comes i-th.
 * Returns 0, or SN_ENOMEM, and then all is as it was. */
int roster_reorder(struct roster *roster, const size_t *order);

#endif

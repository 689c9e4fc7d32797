/* grow.h - an array that grows in place or moves, in a mapping of its own.
 *
 * Histories are read in one pass and nobody knows how long they are. Doubling in an arena would
 * leave the old copies behind; here the kernel moves pages instead. SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_GROW_H
#define HISTORY_GROW_H

#include <stddef.h>

/* Zeroed is an empty array. */
struct grow {
    void *base;    /* moves when it grows */
    size_t mapped; /* bytes */
};

/* Makes sure that there is room for n entries of this size; new ones are zeroed. 0, or SN_ENOMEM
 * with the array unchanged. */
int grow_to(struct grow *grow, size_t n, size_t size);

void grow_done(struct grow *grow);

#endif

/* heap.h - memory of the replicated data libraries.
 *
 * Where there is none left the program ends: a replica that cannot keep what it was told must not
 * go on as if it had been told nothing, and to end is what the others can cope with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_HEAP_H
#define RDL_HEAP_H

#include <stddef.h>

/* Zeroed memory, to be freed with free. */
void *rdl_alloc(size_t size);

/* A copy of the text, to be freed with free. */
char *rdl_copy(const char *text);

/* Room for at least one more than count items, of this size each, with those that are there; takes
 * items. Capacity is that of items, and then of the result. */
void *rdl_grow(void *items, size_t count, size_t *capacity, size_t item_size);

#endif

/* sort.h - sorts numbers that carry an index. libc's qsort takes memory of the program.
 * SPDX-License-Identifier: MIT
 */
#ifndef LINEAR_SORT_H
#define LINEAR_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sortable {
    uint64_t key;
    uint64_t index;
};

/* Sorts by key; equal keys stay in their order. Uses n entries at `other`. */
void sort_by_key(struct sortable *entries, struct sortable *other, size_t n);

/* Where the first key that is not smaller stands. */
size_t sort_find(const struct sortable *entries, size_t n, uint64_t key);

#endif

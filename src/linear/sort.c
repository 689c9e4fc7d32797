/* sort.c - see sort.h. By digits, the lowest first; those that are the same in all keys, most of
 * them in practice, are left out. SPDX-License-Identifier: MIT
 */
#include "linear/sort.h"

#include <stdbool.h>
#include <string.h>

enum { SMALL = 48, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static void insert_all(struct sortable *entries, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct sortable entry = entries[i];
        size_t j = i;

        for (; j > 0 && entries[j - 1].key > entry.key; j--)
            entries[j] = entries[j - 1];
        entries[j] = entry;
    }
}

/* Whether they are sorted already; notes the bits in which keys differ. */
static bool look(const struct sortable *entries, size_t n, uint64_t *differing)
{
    bool is_sorted = true;

    *differing = 0;
    for (size_t i = 1; i < n; i++) {
        is_sorted = is_sorted && entries[i - 1].key <= entries[i].key;
        *differing |= entries[i].key ^ entries[0].key;
    }
    return is_sorted;
}

static void pass(const struct sortable *from, struct sortable *to, size_t n, unsigned shift)
{
    size_t starts[DIGITS] = {0};
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        starts[(from[i].key >> shift) & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t count = starts[digit];

        starts[digit] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[(from[i].key >> shift) & (DIGITS - 1)]++] = from[i];
}

void sort_by_key(struct sortable *entries, struct sortable *other, size_t n)
{
    struct sortable *from = entries;
    struct sortable *to = other;
    uint64_t differing;

    if (look(entries, n, &differing))
        return;
    if (n <= SMALL) {
        insert_all(entries, n);
        return;
    }
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        struct sortable *swap = from;

        if (((differing >> shift) & (DIGITS - 1)) == 0)
            continue;
        pass(from, to, n, shift);
        from = to;
        to = swap;
    }
    if (from != entries)
        memcpy(entries, from, n * sizeof(*entries));
}

size_t sort_find(const struct sortable *entries, size_t n, uint64_t key)
{
    size_t low = 0;
    size_t high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

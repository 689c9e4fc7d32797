/* rank.c - see rank.h. SPDX-License-Identifier: MIT */
#include "substrate/rank.h"

static bool is_before(const struct ranked *a, const struct ranked *b)
{
    return a->creator != b->creator ? a->creator < b->creator : a->index < b->index;
}

/* Most lists are in order already, because one has made all of them: libc's sort would allocate,
 * and take its time. */
void rank_sort(struct ranked *all, uint32_t n)
{
    for (uint32_t gap = n / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < n; i++) {
            struct ranked one = all[i];
            uint32_t k = i;

            for (; k >= gap && is_before(&one, &all[k - gap]); k -= gap)
                all[k] = all[k - gap];
            all[k] = one;
        }
    }
}

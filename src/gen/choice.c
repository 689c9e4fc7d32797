/* choice.c - one of several, an order, a subset. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "gen/gen.h"

#include <string.h>

struct weights {
    const unsigned *all;
    uint64_t sum;
};

static uint64_t by_weight(const void *self, uint64_t n, uint64_t bits)
{
    const struct weights *weights = self;
    uint64_t at = (uint64_t)(((rng_wide)bits * weights->sum) >> 64);
    uint64_t i = 0;

    while (i < n - 1 && at >= weights->all[i])
        at -= weights->all[i++];
    return i;
}

size_t sn_weighted(const char *label, const unsigned *weights, size_t n)
{
    struct trial *t = gen_trial("sn_weighted");
    struct weights all = {.all = weights};

    for (size_t i = 0; i < n; i++)
        all.sum += weights[i];
    if (unlikely(all.sum == 0))
        gen_refuse(t, "sn_weighted", label, "there is nothing of any weight to choose from");
    return trial_draw_shaped(t, label, n, &(struct draw_shape){by_weight, &all});
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size && a != b; i++) {
        unsigned char byte = a[i];

        a[i] = b[i];
        b[i] = byte;
    }
}

void sn_shuffle(const char *label, void *array, size_t n, size_t size)
{
    struct trial *t = gen_trial("sn_shuffle");
    unsigned char *bytes = array;

    for (size_t i = 0; i + 1 < n; i++) {
        size_t other = i + trial_draw(t, label, n - i);

        swap(bytes + i * size, bytes + other * size, size);
    }
}

size_t sn_subset(const char *label, bool *is_in, size_t n)
{
    struct trial *t = gen_trial("sn_subset");
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        is_in[i] = trial_draw(t, label, 2) != 0;
        count += is_in[i];
    }
    return count;
}

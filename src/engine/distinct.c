/* distinct.c - an exact table of 65536 values beside a HyperLogLog sketch (Flajolet et al., 2007).
 * SPDX-License-Identifier: MIT
 */
#include "engine/distinct.h"

#include "base/rng.h"

static void sketch_add(struct distinct *d, uint64_t value)
{
    uint64_t h = mix64(value);
    uint32_t index = (uint32_t)(h >> 50);
    uint64_t rest = h << 14 | UINT64_C(1) << 13;
    uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);

    if (rank > d->registers[index])
        d->registers[index] = rank;
}

void distinct_add(struct distinct *d, uint64_t value)
{
    uint64_t i = value & (DISTINCT_TABLE - 1);

    value += value == 0; /* 0 marks an empty place */
    if (d->exact <= DISTINCT_EXACT_MAX) {
        while (d->table[i] != 0 && d->table[i] != value)
            i = (i + 1) & (DISTINCT_TABLE - 1);
        if (d->table[i] == value)
            return;
        d->table[i] = value;
        d->exact++;
    }
    sketch_add(d, value);
}

bool distinct_is_exact(const struct distinct *d)
{
    return d->exact <= DISTINCT_EXACT_MAX;
}

uint64_t distinct_count(const struct distinct *d)
{
    double sum = 0;

    if (distinct_is_exact(d))
        return d->exact;
    for (uint32_t i = 0; i < DISTINCT_REGISTERS; i++)
        sum += 1.0 / (double)(UINT64_C(1) << d->registers[i]);
    return (uint64_t)(0.7213 / (1 + 1.079 / DISTINCT_REGISTERS) * DISTINCT_REGISTERS *
                      DISTINCT_REGISTERS / sum);
}

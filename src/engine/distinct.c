/* distinct.c - an exact table of 65536 values beside a HyperLogLog sketch (Flajolet et al., 2007).
 * SPDX-License-Identifier: MIT
 */
#include "engine/distinct.h"

#include "base/rng.h"

#include <string.h>

static void sketch_add(struct distinct *d, uint64_t value)
{
    uint64_t h = mix64(value);
    uint32_t index = (uint32_t)(h >> 50);
    uint64_t rest = h << 14 | UINT64_C(1) << 13;
    uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);

    if (rank > d->registers[index])
        d->registers[index] = rank;
}

/* Where a value is, or is to be put. */
static uint64_t *find(struct distinct *d, uint64_t value)
{
    uint64_t *table = &d->tables[d->n];
    uint64_t i = value & (d->n - 1);

    while (table[i] != 0 && table[i] != value)
        i = (i + 1) & (d->n - 1);
    return &table[i];
}

/* Most runs have few values: a large table from the start would cost them a page for nearly each.
 */
static void grow(struct distinct *d)
{
    const uint64_t *old = &d->tables[d->n];
    uint64_t n_old = d->n;

    d->n = n_old > 0 ? n_old * 2 : DISTINCT_TABLE_MIN;
    for (uint64_t i = 0; i < n_old; i++) {
        if (old[i] != 0)
            *find(d, old[i]) = old[i];
    }
}

void distinct_add(struct distinct *d, uint64_t value)
{
    value += value == 0; /* 0 marks an empty place */
    if (d->exact <= DISTINCT_EXACT_MAX) {
        uint64_t *place;

        if (d->exact >= d->n / 2 && d->n < DISTINCT_TABLE)
            grow(d);
        place = find(d, value);
        if (*place == value)
            return;
        *place = value;
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

uint32_t distinct_list(const struct distinct *d, uint64_t *values)
{
    uint32_t n = 0;

    for (size_t i = d->n; i < 2 * d->n; i++) {
        if (d->tables[i] != 0)
            values[n++] = d->tables[i];
    }
    for (uint32_t gap = n / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < n; i++) {
            uint64_t value = values[i];
            uint32_t k = i;

            for (; k >= gap && values[k - gap] > value; k -= gap)
                values[k] = values[k - gap];
            values[k] = value;
        }
    }
    return n;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

/* All values while there are few, and otherwise the sketch, which no number of values is as long
 * as: 8 does not divide its length plus 1. */
size_t distinct_save(const struct distinct *d, unsigned char *bytes, size_t room)
{
    size_t n = distinct_is_exact(d) ? d->exact * 8 : DISTINCT_REGISTERS + 1;

    if (n > room)
        return n;
    if (!distinct_is_exact(d)) {
        memcpy(bytes, d->registers, DISTINCT_REGISTERS);
        bytes[DISTINCT_REGISTERS] = 1;
        return n;
    }
    for (size_t i = d->n; i < 2 * d->n; i++) {
        if (d->tables[i] == 0)
            continue;
        for (int k = 0; k < 8; k++)
            *bytes++ = (unsigned char)(d->tables[i] >> (8 * k));
    }
    return n;
}

int distinct_load(struct distinct *d, const unsigned char *bytes, size_t n)
{
    if (n != DISTINCT_REGISTERS + 1 && (n % 8 != 0 || n / 8 > DISTINCT_EXACT_MAX))
        return -1;
    memset(d, 0, sizeof(*d));
    if (n == DISTINCT_REGISTERS + 1) {
        for (size_t i = 0; i < DISTINCT_REGISTERS; i++)
            d->registers[i] = bytes[i] <= 51 ? bytes[i] : 51; /* there are no more bits */
        d->exact = DISTINCT_EXACT_MAX + 1;
        return 0;
    }
    for (size_t i = 0; i < n; i += 8) {
        uint64_t value = 0;

        for (size_t k = 0; k < 8; k++)
            value |= (uint64_t)bytes[i + k] << (8 * k);
        distinct_add(d, value);
    }
    return 0;
}

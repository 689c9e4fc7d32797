/* distinct.h - how many different 64-bit values were seen: exactly while they are few, estimated
 * after that, in memory that does not grow. SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_DISTINCT_H
#define ENGINE_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DISTINCT_EXACT_MAX = 65536,
    DISTINCT_TABLE = DISTINCT_EXACT_MAX * 2,
    DISTINCT_TABLE_MIN = 512,
    DISTINCT_REGISTERS = 16384, /* standard error 1.04 / sqrt(n) = 0.8 % */
};

/* Zeroed is empty. Values must be well mixed. */
struct distinct {
    /* A table of n places begins at place n, so that a larger one lies behind the smaller ones. */
    uint64_t tables[2 * DISTINCT_TABLE];
    uint64_t n; /* places of the present one; 0: nothing was added yet */
    uint8_t registers[DISTINCT_REGISTERS];
    uint64_t exact;
};

void distinct_add(struct distinct *d, uint64_t value);
uint64_t distinct_count(const struct distinct *d);
/* As bytes, for another process: how many; nothing is written if that is more than room. */
size_t distinct_save(const struct distinct *d, unsigned char *bytes, size_t room);

/* Takes up what was saved, instead of what is there. -1: the bytes are not that. */
int distinct_load(struct distinct *d, const unsigned char *bytes, size_t n);

/* All values, sorted, while they are exact: how many, at most DISTINCT_EXACT_MAX. */
uint32_t distinct_list(const struct distinct *d, uint64_t *values);

bool distinct_is_exact(const struct distinct *d);

#endif

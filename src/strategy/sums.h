/* sums.h - sums by key, in the order in which keys were first met: what trials teach about
 * operations that look alike. As bytes they mean the same on every machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_SUMS_H
#define STRATEGY_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMS_MAX = 1 << 15, /* keys; what comes later is not kept */
    SUMS_SLOTS = 2 * SUMS_MAX,
    SUMS_BYTES = 24,        /* of one, saved */
    SUMS_LESSON_BYTES = 16, /* of one, in a lesson, where the count has so many bits: */
    SUMS_COUNT_BITS = 24,
    SUMS_LIMIT_SHIFT = 48,
};

struct sum {
    uint64_t key;
    uint64_t sum; /* below 2^SUMS_LIMIT_SHIFT, as is the count */
    uint64_t count;
};

/* Zeroed is empty. */
struct sums {
    uint32_t n;
    uint32_t age; /* changes when it is cleared */
    struct sum all[SUMS_MAX];
    uint64_t slots[SUMS_SLOTS]; /* hash, age, and number from 1: see sums.c */
};

void sums_clear(struct sums *s);

/* NULL: the key was not met. */
const struct sum *sums_find(const struct sums *s, uint64_t key);

/* Adds to what is known of a key; what would be too large stays as it is. NULL: there is no room
 * for one more. */
struct sum *sums_add(struct sums *s, uint64_t key, uint64_t sum, uint64_t count);

/* sum / count, rounded to the nearest whole number; at most 2^31. 0 if the count is. */
uint32_t sum_mean(const struct sum *sum);

/* As a lesson: as many as fit into room, in their order. Returns how many bytes. */
size_t sums_teach(const struct sums *s, unsigned char *bytes, size_t room);

/* Adds what a lesson says, which may come from anywhere. *mind changes if a mean does. */
void sums_learn(struct sums *s, const unsigned char *bytes, size_t n, uint64_t *mind);

/* What is known of operations: of each by itself, by its id, and of all that have a signature. */
struct sums_pair {
    struct sums ids;
    struct sums signatures;
};

/* As lessons, saved and loaded, both together: as above. In a lesson signatures come first, because
 * room may be short. */
size_t sums_pair_teach(const struct sums_pair *s, unsigned char *bytes, size_t room);
void sums_pair_learn(struct sums_pair *s, const unsigned char *bytes, size_t n, uint64_t *mind);
size_t sums_pair_save(const struct sums_pair *s, unsigned char *bytes, size_t room);
bool sums_pair_is_saved(struct sums *scratch, const unsigned char *bytes, size_t n);
void sums_pair_load(struct sums_pair *s, const unsigned char *bytes, size_t n);

/* Writes all, SUMS_BYTES for each. */
void sums_put(const struct sums *s, unsigned char *to);

/* Whether these bytes are n sums with different keys; then sums_get takes them up. */
bool sums_can_get(struct sums *scratch, const unsigned char *from, size_t n);
void sums_get(struct sums *s, const unsigned char *from, size_t n);

#endif

/* sums.c - see sums.h. SPDX-License-Identifier: MIT */
#include "strategy/sums.h"

#include "base/bytes.h"
#include "base/rng.h"

#include <assert.h>
#include <string.h>

/* A slot has the upper half of the hash of its key, so that a key that is not there is seldom
 * compared with one that is: mostly these are in no cache. Below that stand the age of the table
 * when it was written, so that clearing leaves slots alone, and the number of the sum, from 1. */
enum { NUMBER_BITS = 16, AGE_BITS = 16, AGE_SHIFT = NUMBER_BITS };

static_assert(SUMS_MAX < 1 << NUMBER_BITS, "each has a number");

void sums_clear(struct sums *s)
{
    s->n = 0;
    s->age++;
    if (s->age >> AGE_BITS != 0) {
        memset(s->slots, 0, sizeof(s->slots));
        s->age = 0;
    }
}

/* All of a slot but its number. */
static uint64_t mark_of(const struct sums *s, uint64_t hash)
{
    return hash >> 32 << 32 | (uint64_t)s->age << AGE_SHIFT;
}

static uint32_t number_in(uint64_t slot)
{
    return (uint32_t)(slot & ((1U << NUMBER_BITS) - 1));
}

static bool is_taken(const struct sums *s, uint64_t slot)
{
    return number_in(slot) != 0 && (uint32_t)slot >> AGE_SHIFT == s->age;
}

/* The number of a key, from 1; 0: it is not there. Then *slot is where it would be. */
static uint32_t number_of(const struct sums *s, uint64_t key, uint64_t hash, uint32_t *slot)
{
    uint64_t mark = mark_of(s, hash);
    uint32_t at = (uint32_t)hash % SUMS_SLOTS;

    for (; is_taken(s, s->slots[at]); at = (at + 1) % SUMS_SLOTS) {
        uint32_t number = number_in(s->slots[at]);

        if ((s->slots[at] ^ mark) >> AGE_SHIFT == 0 && s->all[number - 1].key == key)
            return number;
    }
    *slot = at;
    return 0;
}

const struct sum *sums_find(const struct sums *s, uint64_t key)
{
    uint32_t slot;
    uint32_t number = number_of(s, key, mix64(key), &slot);

    return number != 0 ? &s->all[number - 1] : NULL;
}

struct sum *sums_add(struct sums *s, uint64_t key, uint64_t sum, uint64_t count)
{
    const uint64_t limit = UINT64_C(1) << SUMS_LIMIT_SHIFT;
    uint64_t hash = mix64(key);
    uint32_t slot;
    uint32_t number = number_of(s, key, hash, &slot);
    struct sum *found;

    if (number == 0) {
        if (s->n == SUMS_MAX)
            return NULL;
        number = ++s->n;
        s->slots[slot] = mark_of(s, hash) | number;
        s->all[number - 1] = (struct sum){.key = key};
    }
    found = &s->all[number - 1];
    if (sum < limit - found->sum && count < limit - found->count) {
        found->sum += sum;
        found->count += count;
    }
    return found;
}

uint32_t sum_mean(const struct sum *sum)
{
    const uint64_t most = UINT64_C(1) << 31;
    uint64_t mean;

    if (sum->count == 0)
        return 0;
    mean = (2 * sum->sum + sum->count) / (2 * sum->count);
    return (uint32_t)(mean < most ? mean : most);
}

size_t sums_teach(const struct sums *s, unsigned char *bytes, size_t room)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->n && room - n >= SUMS_LESSON_BYTES; i++) {
        if (s->all[i].sum >> (64 - SUMS_COUNT_BITS) != 0 || s->all[i].count >> SUMS_COUNT_BITS != 0)
            continue;
        bytes_put(bytes + n, s->all[i].key);
        bytes_put(bytes + n + 8, s->all[i].sum << SUMS_COUNT_BITS | s->all[i].count);
        n += SUMS_LESSON_BYTES;
    }
    return n;
}

void sums_learn(struct sums *s, const unsigned char *bytes, size_t n, uint64_t *mind)
{
    for (; n >= SUMS_LESSON_BYTES; n -= SUMS_LESSON_BYTES, bytes += SUMS_LESSON_BYTES) {
        uint64_t key = bytes_get(bytes);
        uint64_t both = bytes_get(bytes + 8);
        const struct sum *known = sums_find(s, key);
        uint32_t before = known != NULL ? sum_mean(known) : 0;

        known = sums_add(s, key, both >> SUMS_COUNT_BITS,
                         both & ((UINT64_C(1) << SUMS_COUNT_BITS) - 1));
        if (known != NULL)
            *mind += mix_pair(key, sum_mean(known)) - mix_pair(key, before);
    }
}

void sums_put(const struct sums *s, unsigned char *to)
{
    for (uint32_t i = 0; i < s->n; i++, to += SUMS_BYTES) {
        bytes_put(to, s->all[i].key);
        bytes_put(to + 8, s->all[i].sum);
        bytes_put(to + 16, s->all[i].count);
    }
}

bool sums_can_get(struct sums *scratch, const unsigned char *from, size_t n)
{
    if (n > SUMS_MAX)
        return false;
    sums_clear(scratch);
    for (size_t i = 0; i < n; i++, from += SUMS_BYTES) {
        if (bytes_get(from + 8) >> SUMS_LIMIT_SHIFT != 0 ||
            bytes_get(from + 16) >> SUMS_LIMIT_SHIFT != 0 ||
            sums_add(scratch, bytes_get(from), 0, 0) == NULL || scratch->n != i + 1)
            return false;
    }
    return true;
}

void sums_get(struct sums *s, const unsigned char *from, size_t n)
{
    sums_clear(s);
    for (size_t i = 0; i < n; i++, from += SUMS_BYTES)
        (void)sums_add(s, bytes_get(from), bytes_get(from + 8), bytes_get(from + 16));
}

/* ---- Two together --------------------------------------------------------------------------- */

size_t sums_pair_teach(const struct sums_pair *s, unsigned char *bytes, size_t room)
{
    size_t n;

    if (room < 8)
        return 0;
    n = sums_teach(&s->signatures, bytes + 8, room - 8);
    bytes_put(bytes, n);
    return 8 + n + sums_teach(&s->ids, bytes + 8 + n, room - 8 - n);
}

void sums_pair_learn(struct sums_pair *s, const unsigned char *bytes, size_t n, uint64_t *mind)
{
    uint64_t n_signatures = n >= 8 ? bytes_get(bytes) : UINT64_MAX;

    if (n < 8 || n_signatures > n - 8)
        return;
    sums_learn(&s->signatures, bytes + 8, n_signatures, mind);
    sums_learn(&s->ids, bytes + 8 + n_signatures, n - 8 - n_signatures, mind);
}

size_t sums_pair_save(const struct sums_pair *s, unsigned char *bytes, size_t room)
{
    size_t n_signatures = (size_t)s->signatures.n * SUMS_BYTES;
    size_t size = 8 + n_signatures + (size_t)s->ids.n * SUMS_BYTES;

    if (room < size)
        return size;
    bytes_put(bytes, s->signatures.n);
    sums_put(&s->signatures, bytes + 8);
    sums_put(&s->ids, bytes + 8 + n_signatures);
    return size;
}

bool sums_pair_is_saved(struct sums *scratch, const unsigned char *bytes, size_t n)
{
    uint64_t n_signatures = n >= 8 ? bytes_get(bytes) : UINT64_MAX;

    if (n < 8 || (n - 8) % SUMS_BYTES != 0 || n_signatures > (n - 8) / SUMS_BYTES)
        return false;
    return sums_can_get(scratch, bytes + 8, n_signatures) &&
           sums_can_get(scratch, bytes + 8 + n_signatures * SUMS_BYTES,
                        (n - 8) / SUMS_BYTES - n_signatures);
}

void sums_pair_load(struct sums_pair *s, const unsigned char *bytes, size_t n)
{
    size_t n_signatures = bytes_get(bytes);

    sums_get(&s->signatures, bytes + 8, n_signatures);
    sums_get(&s->ids, bytes + 8 + n_signatures * SUMS_BYTES, (n - 8) / SUMS_BYTES - n_signatures);
}

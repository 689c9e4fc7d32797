/* sums.c - see sums.h. SPDX-License-Identifier: MIT */
#include "strategy/sums.h"

#include "base/bytes.h"
#include "base/rng.h"

/* The slot of a key, or the one where it would be. */
static uint32_t slot_of(const struct sums *s, uint64_t key)
{
    uint32_t slot = (uint32_t)(mix64(key) % SUMS_SLOTS);

    for (;;) {
        uint32_t i = s->slots[slot];

        if (i >= s->n || s->all[i].slot != slot || s->all[i].key == key)
            return slot;
        slot = slot + 1 < SUMS_SLOTS ? slot + 1 : 0;
    }
}

static bool is_there(const struct sums *s, uint32_t slot, uint64_t key)
{
    uint32_t i = s->slots[slot];

    return i < s->n && s->all[i].slot == slot && s->all[i].key == key;
}

const struct sum *sums_find(const struct sums *s, uint64_t key)
{
    uint32_t slot = slot_of(s, key);

    return is_there(s, slot, key) ? &s->all[s->slots[slot]] : NULL;
}

struct sum *sums_add(struct sums *s, uint64_t key, uint64_t sum, uint64_t count)
{
    const uint64_t limit = UINT64_C(1) << SUMS_LIMIT_SHIFT;
    uint32_t slot = slot_of(s, key);
    struct sum *found;

    if (!is_there(s, slot, key)) {
        if (s->n == SUMS_MAX)
            return NULL;
        s->slots[slot] = s->n;
        s->all[s->n++] = (struct sum){.key = key, .slot = slot};
    }
    found = &s->all[s->slots[slot]];
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

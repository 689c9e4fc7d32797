/* texts.c - see texts.h. SPDX-License-Identifier: MIT */
#include "history/texts.h"

#include "base/err.h"
#include "base/hash.h"

#include <sennit/test.h>
#include <string.h>

enum { SLOTS_FIRST = 1024 };

static uint32_t *slot_of(const struct texts *texts, uint64_t hash, const char *bytes, size_t n)
{
    uint32_t *slots = texts->slots.base;
    uint32_t mask = texts->n_slots - 1;
    uint32_t i = (uint32_t)(hash >> 32 ^ hash) & mask;

    for (; slots[i] != 0; i = (i + 1) & mask) {
        const struct texts_entry *entry = texts_at(texts, slots[i] - 1);

        if (bytes != NULL && entry->hash == hash && entry->n == n &&
            memcmp(entry->bytes, bytes, n) == 0)
            break;
    }
    return &slots[i];
}

/* Makes sure that a slot stays free. */
static int make_room(struct texts *texts)
{
    uint32_t n = texts->n_slots == 0 ? SLOTS_FIRST : texts->n_slots * 2;

    if (texts->n_slots > 0 && texts->n < texts->n_slots / 2)
        return 0;
    if (texts->n >= UINT32_MAX / 4 || grow_to(&texts->slots, n, sizeof(uint32_t)) < 0)
        return SN_ENOMEM;
    memset(texts->slots.base, 0, n * sizeof(uint32_t));
    texts->n_slots = n;
    for (uint32_t i = 0; i < texts->n; i++)
        *slot_of(texts, texts_at(texts, i)->hash, NULL, 0) = i + 1;
    return 0;
}

int texts_add(struct texts *texts, const char *bytes, size_t n, uint32_t *number)
{
    uint64_t hash = hash_add(HASH_START, bytes, n);
    struct texts_entry *entries;
    uint32_t *slot;
    char *copy;

    if (make_room(texts) < 0)
        return SN_ENOMEM;
    slot = slot_of(texts, hash, bytes, n);
    if (*slot != 0) {
        *number = *slot - 1;
        return 0;
    }
    copy = arena_copy(&texts->arena, bytes, n);
    if (copy == NULL || grow_to(&texts->entries, (size_t)texts->n + 1, sizeof(*entries)) < 0)
        return SN_ENOMEM;
    entries = texts->entries.base;
    entries[texts->n] = (struct texts_entry){.bytes = copy, .hash = hash, .n = n};
    *number = texts->n++;
    *slot = texts->n;
    return 0;
}

const struct texts_entry *texts_at(const struct texts *texts, uint32_t number)
{
    sn_check(number < texts->n);
    return (const struct texts_entry *)texts->entries.base + number;
}

size_t texts_bytes(const struct texts *texts)
{
    return texts->arena.mapped + texts->entries.mapped + texts->slots.mapped;
}

void texts_done(struct texts *texts)
{
    arena_done(&texts->arena);
    grow_done(&texts->entries);
    grow_done(&texts->slots);
    *texts = (struct texts){.arena = texts->arena};
}

/* whole.c - see whole.h. SPDX-License-Identifier: MIT */
#include "history/whole.h"

#include "base/err.h"

#include <sennit/test.h>
#include <string.h>

enum { SLOTS_FIRST = 256 };

static const struct whole *entry_at(const struct wholes *wholes, uint32_t i)
{
    return (const struct whole *)wholes->entries.base + i;
}

/* Where the value is, or would be. Values are hashes as they are. */
static uint32_t *slot_of(const struct wholes *wholes, sn_value value)
{
    uint32_t *slots = wholes->slots.base;
    uint32_t mask = wholes->n_slots - 1;
    uint32_t i = (uint32_t)((uint64_t)value >> 8) & mask;

    while (slots[i] != 0 && entry_at(wholes, slots[i] - 1)->value != value)
        i = (i + 1) & mask;
    return &slots[i];
}

/* Makes sure that a slot stays free. */
static int make_room(struct wholes *wholes)
{
    uint32_t n = wholes->n_slots == 0 ? SLOTS_FIRST : wholes->n_slots * 2;

    if (wholes->n_slots > 0 && wholes->n < wholes->n_slots / 2)
        return 0;
    if (wholes->n >= UINT32_MAX / 4 || grow_to(&wholes->slots, n, sizeof(uint32_t)) < 0)
        return SN_ENOMEM;
    memset(wholes->slots.base, 0, n * sizeof(uint32_t));
    wholes->n_slots = n;
    for (uint32_t i = 0; i < wholes->n; i++)
        *slot_of(wholes, entry_at(wholes, i)->value) = i + 1;
    return 0;
}

static const sn_value *keep_set(struct wholes *wholes, const sn_value *elements, size_t n)
{
    sn_value *kept = arena_array(&wholes->arena, n, sizeof(*kept));

    if (kept != NULL && n > 0)
        memcpy(kept, elements, n * sizeof(*kept));
    return kept;
}

/* The list that this one begins with, or is the beginning of, grown if it must be; otherwise a new
 * one takes its place. What was given out before stays as it is. */
static const sn_value *keep_list(struct wholes *wholes, const sn_value *elements, size_t n)
{
    uint64_t first = n == 0 ? 0 : (uint64_t)elements[0] * UINT64_C(0x9e3779b97f4a7c15);
    struct whole_spine *spine = &wholes->spines[(first >> 32) % WHOLE_SPINES];
    size_t common = n < spine->n ? n : spine->n;

    if (n == 0)
        return keep_set(wholes, elements, n);
    if (common > 0 && memcmp(spine->elements, elements, common * sizeof(*elements)) != 0)
        *spine = (struct whole_spine){.n = 0};
    if (n > spine->capacity) {
        struct whole_spine larger = {.capacity = spine->capacity == 0 ? n : 2 * n};

        larger.elements = arena_array(&wholes->arena, larger.capacity, sizeof(*elements));
        if (larger.elements == NULL)
            return NULL;
        *spine = larger;
    }
    if (n > spine->n) {
        memcpy(spine->elements + spine->n, elements + spine->n, (n - spine->n) * sizeof(*elements));
        spine->n = n;
    }
    return spine->elements;
}

int wholes_add(struct wholes *wholes, const sn_value *elements, size_t n, bool is_set,
               sn_value *value)
{
    struct whole entry = {.n = n, .is_set = is_set};
    uint32_t *slot;

    entry.value = is_set ? sn_set_value(elements, n) : sn_list_value(elements, n);
    *value = entry.value;
    if (make_room(wholes) < 0)
        return SN_ENOMEM;
    slot = slot_of(wholes, entry.value);
    if (*slot != 0)
        return 0;
    entry.elements = is_set ? keep_set(wholes, elements, n) : keep_list(wholes, elements, n);
    if (entry.elements == NULL ||
        grow_to(&wholes->entries, (size_t)wholes->n + 1, sizeof(entry)) < 0)
        return SN_ENOMEM;
    ((struct whole *)wholes->entries.base)[wholes->n++] = entry;
    *slot = wholes->n;
    return 0;
}

const struct whole *wholes_find(const struct wholes *wholes, sn_value value)
{
    uint32_t slot = wholes->n_slots == 0 ? 0 : *slot_of(wholes, value);

    return slot == 0 ? NULL : entry_at(wholes, slot - 1);
}

size_t wholes_bytes(const struct wholes *wholes)
{
    return wholes->arena.mapped + wholes->entries.mapped + wholes->slots.mapped;
}

void wholes_done(struct wholes *wholes)
{
    arena_done(&wholes->arena);
    grow_done(&wholes->entries);
    grow_done(&wholes->slots);
    *wholes = (struct wholes){.arena = wholes->arena};
}

/* phrases.c - see phrases.h. SPDX-License-Identifier: MIT */
#include "substrate/phrases.h"

#include <stdio.h>
#include <string.h>

static_assert(PHRASES_SLOTS_MAX / 2 >= PHRASES_MAX, "there is always a free one");

/* The slot of a phrase, which may be empty. */
static uint32_t slot_of(const struct phrases *p, uint64_t hash, const void *of, const char *text)
{
    uint32_t slot = (uint32_t)hash & p->mask;

    for (; p->slots[slot] != 0; slot = (slot + 1) & p->mask) {
        const struct phrase *phrase = &p->all[p->slots[slot]];

        if (phrase->hash == hash && phrase->of == of &&
            (of != NULL || strcmp(phrase->text, text) == 0))
            break;
    }
    return slot;
}

const struct sn_event *phrases_find(const struct phrases *p, uint64_t hash, const void *of,
                                    const char *text)
{
    uint32_t number = p->slots[slot_of(p, hash, of, text)];

    return number != 0 ? &p->all[number].event : NULL;
}

static void set_slots(struct phrases *p, uint32_t n)
{
    memset(p->slots, 0, n * sizeof(p->slots[0]));
    p->mask = n - 1;
    for (uint32_t i = 1; i <= p->n; i++) {
        const struct phrase *phrase = &p->all[i];

        p->slots[slot_of(p, phrase->hash, phrase->of, phrase->text)] = i;
    }
}

const struct sn_event *phrases_add(struct phrases *p, uint64_t hash, const void *of,
                                   const char *text)
{
    struct phrase *phrase = &p->all[p->n + 1];

    if (p->n == PHRASES_MAX)
        return NULL;
    if (p->mask == 0)
        set_slots(p, PHRASES_SLOTS_FIRST);
    else if (p->n == (p->mask + 1) / 2)
        set_slots(p, 2 * (p->mask + 1));
    p->slots[slot_of(p, hash, of, text)] = ++p->n;
    phrase->of = of;
    phrase->hash = hash;
    phrase->event.name = phrase->text;
    (void)snprintf(phrase->text, sizeof(phrase->text), "%s", text);
    return &phrase->event;
}

void phrases_clear(struct phrases *p)
{
    p->n = 0;
    p->mask = 0;
    p->slots[0] = 0;
}

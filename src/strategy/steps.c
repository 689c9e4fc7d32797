/* steps.c - see steps.h. SPDX-License-Identifier: MIT */
#include "strategy/steps.h"

#include "base/rng.h"

#include <string.h>

static uint64_t hash_of(const struct sn_taken_step *step)
{
    const unsigned char *bytes = step->payload;
    uint64_t hash = mix_pair(mix_pair(step->machine, step->from), (uintptr_t)step->event);

    for (size_t i = 0; i < step->size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return mix64(hash);
}

static bool is_same(const struct sn_taken_step *a, const struct sn_taken_step *b)
{
    return a->machine == b->machine && a->from == b->from && a->kind == b->kind &&
           a->event == b->event && a->size == b->size &&
           (a->size == 0 || memcmp(a->payload, b->payload, a->size) == 0);
}

uint32_t steps_get(struct steps *s, const struct sn_taken_step *step)
{
    uint32_t slot = (uint32_t)hash_of(step) & (STEPS_SLOTS - 1);
    struct sn_taken_step *known;

    for (; s->slots[slot] != 0; slot = (slot + 1) & (STEPS_SLOTS - 1)) {
        if (is_same(&s->all[s->slots[slot]], step))
            return s->slots[slot];
    }
    if (s->n == STEPS_KNOWN_MAX || step->size > STEPS_BYTES_MAX - s->n_bytes)
        return 0;
    known = &s->all[++s->n];
    *known = *step;
    if (step->size > 0)
        known->payload = memcpy(&s->bytes[s->n_bytes], step->payload, step->size);
    s->n_bytes += ((uint32_t)step->size + 15) & ~UINT32_C(15);
    if (s->n_bytes > STEPS_BYTES_MAX)
        s->n_bytes = STEPS_BYTES_MAX;
    s->slots[slot] = s->n;
    return s->n;
}

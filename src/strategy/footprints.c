/* footprints.c - see footprints.h. SPDX-License-Identifier: MIT */
#include "strategy/footprints.h"

#include "base/rng.h"

#include <string.h>

static uint64_t bit_of(uint64_t object)
{
    return UINT64_C(1) << (mix64(object) >> 58);
}

static bool is_equal(const struct footprints *f, uint32_t number, const struct touch *touches,
                     uint32_t n)
{
    const struct footprint *known = &f->all[number];
    const struct touch *all = &f->touches[known->begin];
    uint64_t difference = known->n ^ n;

    for (uint32_t i = 0; i < n && difference == 0; i++)
        difference = (all[i].object ^ touches[i].object) | (all[i].mode ^ touches[i].mode);
    return difference == 0;
}

/* Where one may be that was asked for before: most steps touch what others have touched, and a
 * table of all is too large to stay close to the processor. */
static uint32_t *find_recent(struct footprints *f, const struct touch *touches, uint32_t n)
{
    uint64_t hash = n;

    for (uint32_t i = 0; i < n; i++)
        hash = (hash ^ touches[i].object) * UINT64_C(0x9e3779b97f4a7c15) + touches[i].mode;
    return &f->recent[hash >> 32 & (FOOTPRINTS_RECENT - 1)];
}

static uint32_t find(const struct footprints *f, const struct touch *touches, uint32_t n,
                     uint32_t *slot)
{
    uint64_t hash = n;

    for (uint32_t i = 0; i < n; i++)
        hash = mix_pair(mix_pair(hash, touches[i].object), touches[i].mode);
    *slot = (uint32_t)hash & (FOOTPRINTS_SLOTS - 1);
    for (; f->slots[*slot] != 0; *slot = (*slot + 1) & (FOOTPRINTS_SLOTS - 1)) {
        if (is_equal(f, f->slots[*slot], touches, n))
            return f->slots[*slot];
    }
    return 0;
}

bool footprints_conflict_slowly(const struct footprints *f, uint32_t a, uint32_t b)
{
    const struct footprint *x = &f->all[a];
    const struct footprint *y = &f->all[b];

    if (f->steps != NULL)
        return steps_are_dependent(f->steps, f->touches[x->begin].object,
                                   f->touches[y->begin].object);
    for (uint32_t i = 0; i < x->n; i++) {
        for (uint32_t j = 0; j < y->n; j++) {
            if (touches_clash(&f->touches[x->begin + i], &f->touches[y->begin + j]))
                return true;
        }
    }
    return false;
}

static void pair_up(struct footprints *f, uint32_t number)
{
    for (uint32_t i = FOOTPRINT_UNKNOWN + 1; i <= number && number < FOOTPRINTS_PAIRS; i++) {
        f->pairs[i][number] = footprints_conflict_slowly(f, i, number);
        f->pairs[number][i] = f->pairs[i][number];
    }
}

static uint32_t get(struct footprints *f, const struct touch *touches, uint32_t n)
{
    struct footprint *new;
    uint32_t number;
    uint32_t slot;
    uint32_t known = find(f, touches, n, &slot);

    if (known != 0)
        return known;
    if (f->n == FOOTPRINTS_MAX || n > FOOTPRINTS_TOUCHES_MAX - f->n_touches)
        return FOOTPRINT_WILD;
    number = ++f->n + FOOTPRINT_UNKNOWN;
    new = &f->all[number];
    *new = (struct footprint){.begin = f->n_touches, .n = n};
    memcpy(&f->touches[f->n_touches], touches, n * sizeof(*touches));
    f->n_touches += n;
    for (uint32_t i = 0; i < n; i++)
        new->mask |= f->steps != NULL ? UINT64_MAX : bit_of(touches[i].object);
    f->slots[slot] = number;
    pair_up(f, number);
    return number;
}

uint32_t footprints_get(struct footprints *f, const struct touch *touches, uint32_t n)
{
    uint32_t *recent = find_recent(f, touches, n);

    if (*recent == 0 || !is_equal(f, *recent, touches, n))
        *recent = get(f, touches, n);
    return *recent;
}

uint32_t footprints_until(struct footprints *f, uint32_t of, uint32_t other)
{
    const struct footprint *x = &f->all[of];
    const struct footprint *y = &f->all[other];
    uint32_t n = 0;
    bool is_over = of <= FOOTPRINT_UNKNOWN;

    while (n < x->n && !is_over) {
        is_over = other <= FOOTPRINT_UNKNOWN;
        for (uint32_t j = 0; j < y->n; j++)
            is_over |= touches_clash(&f->touches[x->begin + n], &f->touches[y->begin + j]);
        n++;
    }
    return n < x->n ? footprints_get(f, &f->touches[x->begin], n) : of;
}

uint32_t drawn_get(struct drawns *d, uint32_t before, uint32_t place, uint64_t value)
{
    uint64_t hash = mix_pair(mix_pair(before, place), value);
    uint32_t slot = (uint32_t)hash & (DRAWN_SLOTS - 1);

    for (; d->slots[slot] != 0; slot = (slot + 1) & (DRAWN_SLOTS - 1)) {
        const struct drawn *known = &d->all[d->slots[slot]];

        if (known->before == before && known->place == place && known->value == value)
            return d->slots[slot];
    }
    if (d->n == DRAWN_MAX)
        return UINT32_MAX;
    d->slots[slot] = ++d->n;
    d->all[d->n] = (struct drawn){before, place, value};
    return d->n;
}

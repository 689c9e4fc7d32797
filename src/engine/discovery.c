/* discovery.c - see discovery.h.
 *
 * The table is one for all arms: what is looked up is the order plus a constant for the arm and its
 * mind. A slot has 62 bits of that, and how often it came, up to 3, in the lowest two.
 * SPDX-License-Identifier: MIT
 */
#include "engine/discovery.h"

#include "base/estimate.h"

#include <string.h>

enum { COUNT_MASK = 3 };

/* ---- The table ------------------------------------------------------------------------------ */

static uint64_t key_of(const struct discovery_arm *arm, uint64_t order)
{
    return (order + arm->serial * UINT64_C(0x9e3779b97f4a7c15)) & ~(uint64_t)COUNT_MASK;
}

/* Where an order is, or would be. A slot is empty if its count is 0. */
static uint64_t *find(uint64_t *slots, uint32_t bits, uint64_t key)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t i = key >> 2 & mask;

    while ((slots[i] & COUNT_MASK) != 0 && (slots[i] & ~(uint64_t)COUNT_MASK) != key)
        i = (i + 1) & mask;
    return &slots[i];
}

static void grow(struct discovery *d)
{
    uint64_t n = UINT64_C(1) << d->bits;

    if (d->bits == 0) {
        d->bits = (uint32_t)__builtin_ctz(DISCOVERY_SLOTS_FIRST);
        return;
    }
    memcpy(d->spare, d->slots, n * sizeof(d->slots[0]));
    memset(d->slots, 0, n * sizeof(d->slots[0]));
    d->bits++;
    for (uint64_t i = 0; i < n; i++) {
        if ((d->spare[i] & COUNT_MASK) != 0)
            *find(d->slots, d->bits, d->spare[i] & ~(uint64_t)COUNT_MASK) = d->spare[i];
    }
}

/* Makes room for one more. False: there is none. */
static bool make_room(struct discovery *d)
{
    if (d->kept == DISCOVERY_ORDERS_MAX)
        return false;
    if (d->bits == 0 || d->kept >= (UINT64_C(1) << d->bits) / 2)
        grow(d);
    return true;
}

/* ---- Counting ------------------------------------------------------------------------------- */

static bool count(struct discovery *d, struct discovery_arm *arm, uint64_t order)
{
    uint64_t key = key_of(arm, order);
    uint64_t *slot;

    if (!make_room(d)) {
        d->is_full = true;
        return true;
    }
    slot = find(d->slots, d->bits, key);
    switch (*slot & COUNT_MASK) {
    case 0:
        *slot = key | 1;
        d->kept++;
        arm->orders++;
        arm->once++;
        return true;
    case 1:
        *slot += 1;
        arm->once--;
        arm->twice++;
        break;
    case 2:
        *slot += 1;
        arm->twice--;
        break;
    default:
        break;
    }
    return false;
}

bool discovery_add(struct discovery *d, uint32_t arm, uint64_t mind, uint64_t order)
{
    struct discovery_arm *a = &d->arms[arm];

    if (a->trials == 0 || a->mind != mind)
        *a = (struct discovery_arm){.mind = mind, .serial = d->serials++};
    a->trials++;
    return d->is_full || count(d, a, order);
}

uint32_t discovery_count(const struct discovery *d, uint32_t arm, uint64_t order)
{
    const struct discovery_arm *a = &d->arms[arm];

    if (d->bits == 0 || a->trials == 0)
        return 0;
    return (uint32_t)(*find((uint64_t *)(uintptr_t)d->slots, d->bits, key_of(a, order)) &
                      COUNT_MASK);
}

/* ---- The curve ------------------------------------------------------------------------------ */

/* Every other point makes room for as many as there were. */
static void thin(struct discovery *d)
{
    for (uint32_t i = 0; i < DISCOVERY_POINTS_MAX / 2; i++)
        d->points[i] = d->points[2 * i + 1];
    d->n_points = DISCOVERY_POINTS_MAX / 2;
    d->stride *= 2;
}

uint64_t discovery_mark(struct discovery *d, uint64_t trials, uint64_t orders)
{
    if (d->stride == 0)
        d->stride = 1;
    if (d->n_points == DISCOVERY_POINTS_MAX)
        thin(d);
    if (trials % d->stride == 0)
        d->points[d->n_points++] = (struct discovery_point){trials, orders};
    return trials - trials % d->stride + d->stride;
}

/* ---- Estimates ------------------------------------------------------------------------------ */

/* The largest mean of which so few events are not surprising (97.5 %), by Wilson and Hilferty. */
static double most_expected(double events)
{
    double n = events + 1;
    double root = 1 - 1 / (9 * n) + 1.959964 / (3 * estimate_root(n));

    return n * root * root * root;
}

static double clip(double probability)
{
    return probability < 0 ? 0 : probability > 1 ? 1 : probability;
}

/* Figures that were added up may be of any size. */
static uint64_t add_unseen(uint64_t orders, double unseen)
{
    return unseen < (double)(UINT64_MAX - orders) ? orders + (uint64_t)unseen : UINT64_MAX;
}

struct discovery_estimate discovery_estimate(const struct discovery_arm *arm, bool is_full)
{
    struct discovery_estimate e = {.answer = DISCOVERY_KNOWN};
    double n = (double)arm->trials;
    double once = (double)arm->once;
    double twice = (double)arm->twice;
    double spread = 0;
    double most;

    if (is_full)
        return (struct discovery_estimate){.answer = DISCOVERY_TOO_MANY};
    if (once > 0.9 * n)
        e.answer = DISCOVERY_MOSTLY_NEW;
    else if (arm->trials < DISCOVERY_TRIALS_MIN)
        e.answer = DISCOVERY_FEW_TRIALS;
    if (e.answer != DISCOVERY_KNOWN)
        return e;
    spread = 1.959964 * estimate_root(once * (1 - once / n) + 2 * twice);
    /* Where few orders came only once the spread says too little: it is 0 if none did. */
    most = most_expected(once);
    e.next = once / n;
    e.low = clip((once - spread) / n);
    e.high = clip((once + spread > most ? once + spread : most) / n);
    e.least = add_unseen(arm->orders, once * (once - 1) / (2 * (twice + 1)));
    return e;
}

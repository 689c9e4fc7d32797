/* number.c - whole numbers.
 *
 * A number with a sign is two decisions, its magnitude and then its sign: so magnitudes can be made
 * smaller without jumping between the two sides of 0. SPDX-License-Identifier: MIT
 */
#include "gen/gen.h"

/* The distance of two numbers, which an int64_t need not hold. */
static uint64_t distance(int64_t from, int64_t to)
{
    return (uint64_t)to - (uint64_t)from;
}

/* From 0 to `most`, which may be all there are: that is one more than a decision can have, so the
 * last two are told apart by another. */
static uint64_t up_to(struct trial *t, const char *label, uint64_t most)
{
    uint64_t value;

    if (most < UINT64_MAX)
        return gen_below(t, label, most + 1);
    value = gen_below(t, label, UINT64_MAX);
    return value + trial_draw(t, label, value == UINT64_MAX - 1 ? 2 : 1);
}

int64_t gen_int(struct trial *t, const char *label, int64_t min, int64_t max)
{
    uint64_t below = distance(min, 0);
    uint64_t above = (uint64_t)max;
    uint64_t magnitude;
    bool has_both;
    bool is_negative;

    if (min >= 0)
        return (int64_t)((uint64_t)min + up_to(t, label, distance(min, max)));
    if (max <= 0)
        return (int64_t)((uint64_t)max - up_to(t, label, distance(min, max)));
    magnitude = up_to(t, label, below > above ? below : above);
    has_both = magnitude > 0 && magnitude <= above && magnitude <= below;
    /* All numbers are two decisions, so that none is simpler for having fewer. */
    is_negative = trial_draw(t, label, has_both ? 2 : 1) != 0 || magnitude > above;
    return (int64_t)(is_negative ? 0 - magnitude : magnitude);
}

int64_t sn_int(const char *label, int64_t min, int64_t max)
{
    struct trial *t = gen_trial("sn_int");
    int64_t value;

    if (unlikely(min > max))
        gen_refuse(t, "sn_int", label, "the least is more than the most");
    value = gen_int(t, label, min, max);
    if (gen_is_told(t))
        gen_tell(t, label, "%lld", (long long)value);
    return value;
}

uint64_t sn_uint(const char *label, uint64_t min, uint64_t max)
{
    struct trial *t = gen_trial("sn_uint");
    uint64_t value;

    if (unlikely(min > max))
        gen_refuse(t, "sn_uint", label, "the least is more than the most");
    value = min + up_to(t, label, max - min);
    if (gen_is_told(t))
        gen_tell(t, label, "%llu", (unsigned long long)value);
    return value;
}

bool sn_bool(const char *label)
{
    struct trial *t = gen_trial("sn_bool");
    bool value = trial_draw(t, label, 2) != 0;

    if (gen_is_told(t))
        gen_tell(t, label, "%s", value ? "true" : "false");
    return value;
}

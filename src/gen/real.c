/* real.c - doubles: whole ones first, then quarters and the like, then any.
 * SPDX-License-Identifier: MIT
 */
#include "gen/gen.h"

#include <float.h>
#include <string.h>

/* Up to here every whole number is a double. */
#define WHOLE_MAX ((double)(INT64_C(1) << 53))

enum kind { KIND_WHOLE, KIND_QUARTERS, KIND_FRACTION, KINDS_BOUNDED, KIND_BITS = 3, KINDS_ANY };

static double clamp(double x, double min, double max)
{
    return x < min ? min : x > max ? max : x;
}

/* The nearest whole numbers inside; *max is below *min if there are none. */
static void whole_bounds(double from, double to, int64_t *min, int64_t *max)
{
    *min = (int64_t)clamp(from, -WHOLE_MAX, WHOLE_MAX);
    *max = (int64_t)clamp(to, -WHOLE_MAX, WHOLE_MAX);
    *min += (double)*min < from;
    *max -= (double)*max > to;
}

/* Each of these is three decisions. */

/* Anywhere between the two, by a part of 2^53. Halves, because their distance may be infinite. */
static double fraction(struct trial *t, const char *label, double min, double max)
{
    double part = (double)trial_draw(t, label, UINT64_C(1) << 53) / WHOLE_MAX;

    gen_pad(t, label, 2);
    return clamp(min * (1 - part) + max * part, min, max);
}

/* On one side of 0 a whole number is one decision. */
static double whole(struct trial *t, const char *label, int64_t min, int64_t max)
{
    double value = (double)gen_int(t, label, min, max);

    gen_pad(t, label, min >= 0 || max <= 0 ? 1 : 0);
    return value;
}

static double quarters(struct trial *t, const char *label, int64_t min, int64_t max)
{
    double value = whole(t, label, min, max);
    double part = (double)(1 + trial_draw(t, label, 3)) / 4;

    return value < 0 || (value == 0 && max <= 0) ? value - part : value + part;
}

/* Every pattern of bits is a double. */
static double any_bits(struct trial *t, const char *label)
{
    uint64_t bits = trial_draw(t, label, UINT64_C(1) << 32) << 32;
    double value;

    bits |= trial_draw(t, label, UINT64_C(1) << 32);
    gen_pad(t, label, 1);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double special(struct trial *t, const char *label)
{
    static const double values[] = {
        -0.0,     __builtin_inf(), -__builtin_inf(), __builtin_nan(""), DBL_MIN,
        -DBL_MIN, DBL_MAX,         -DBL_MAX,         DBL_EPSILON,       DBL_TRUE_MIN,
    };
    double value = values[trial_draw(t, label, sizeof(values) / sizeof(*values))];

    gen_pad(t, label, 2);
    return value;
}

static double bounded(struct trial *t, const char *label, double min, double max)
{
    int64_t least;
    int64_t most;
    double value;
    uint64_t kind = trial_draw(t, label, KINDS_BOUNDED);

    whole_bounds(min, max, &least, &most);
    if (least > most || kind == KIND_FRACTION)
        return fraction(t, label, min, max);
    if (kind == KIND_QUARTERS)
        return clamp(quarters(t, label, least, most), min, max);
    value = whole(t, label, least, most);
    gen_pad(t, label, 1);
    return value;
}

static double any(struct trial *t, const char *label)
{
    double value;

    switch (trial_draw(t, label, KINDS_ANY + 1)) {
    case KIND_WHOLE:
        value = whole(t, label, -(INT64_C(1) << 53), INT64_C(1) << 53);
        gen_pad(t, label, 1);
        return value;
    case KIND_QUARTERS:
        return quarters(t, label, -(INT64_C(1) << 50), INT64_C(1) << 50);
    case KIND_FRACTION:
        return fraction(t, label, -DBL_MAX, DBL_MAX);
    case KIND_BITS:
        return any_bits(t, label);
    default:
        return special(t, label);
    }
}

static double tell(struct trial *t, const char *label, double value)
{
    if (gen_is_told(t))
        gen_tell(t, label, "%.17g", value);
    return value;
}

double sn_double(const char *label, double min, double max)
{
    struct trial *t = gen_trial("sn_double");

    if (unlikely(!(min <= max && min >= -DBL_MAX && max <= DBL_MAX)))
        gen_refuse(t, "sn_double", label, "the bounds are not two finite numbers in order");
    return tell(t, label, bounded(t, label, min, max));
}

double sn_double_any(const char *label)
{
    struct trial *t = gen_trial("sn_double_any");

    return tell(t, label, any(t, label));
}

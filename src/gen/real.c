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

/* Anywhere between the two, by a part of 2^53. Halves, because their distance may be infinite. */
static double fraction(struct trial *t, const char *label, double min, double max)
{
    double part = (double)trial_draw(t, label, UINT64_C(1) << 53) / WHOLE_MAX;

    return clamp(min * (1 - part) + max * part, min, max);
}

static double quarters(struct trial *t, const char *label, int64_t min, int64_t max)
{
    double whole = (double)gen_int(t, label, min, max);
    double part = (double)(1 + trial_draw(t, label, 3)) / 4;

    return whole < 0 || (whole == 0 && max <= 0) ? whole - part : whole + part;
}

static double bounded(struct trial *t, const char *label, double min, double max)
{
    int64_t least;
    int64_t most;
    uint64_t kind = trial_draw(t, label, KINDS_BOUNDED);

    whole_bounds(min, max, &least, &most);
    if (least > most || kind == KIND_FRACTION)
        return fraction(t, label, min, max);
    if (kind == KIND_WHOLE)
        return (double)gen_int(t, label, least, most);
    return clamp(quarters(t, label, least, most), min, max);
}

/* Every pattern of bits is a double. */
static double any_bits(struct trial *t, const char *label)
{
    uint64_t bits = trial_draw(t, label, UINT64_C(1) << 32) << 32;
    double value;

    bits |= trial_draw(t, label, UINT64_C(1) << 32);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double special(struct trial *t, const char *label)
{
    static const double values[] = {
        -0.0,     __builtin_inf(), -__builtin_inf(), __builtin_nan(""), DBL_MIN,
        -DBL_MIN, DBL_MAX,         -DBL_MAX,         DBL_EPSILON,       DBL_TRUE_MIN,
    };

    return values[trial_draw(t, label, sizeof(values) / sizeof(*values))];
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
    uint64_t kind = trial_draw(t, label, KINDS_ANY + 1);

    if (kind == KIND_WHOLE)
        return tell(t, label, (double)gen_int(t, label, -(INT64_C(1) << 53), INT64_C(1) << 53));
    if (kind == KIND_QUARTERS)
        return tell(t, label, quarters(t, label, -(INT64_C(1) << 50), INT64_C(1) << 50));
    if (kind == KIND_FRACTION)
        return tell(t, label, fraction(t, label, -DBL_MAX, DBL_MAX));
    return tell(t, label, kind == KIND_BITS ? any_bits(t, label) : special(t, label));
}

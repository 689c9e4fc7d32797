/* estimate.c - see estimate.h. SPDX-License-Identifier: MIT */
#include "base/estimate.h"

#define Z 1.959963984540054 /* of a normal distribution: 2.5 % lie above */
#define TAIL 0.025

enum {
    HALVINGS = 60, /* of [0, 1]: below what a double can tell apart */
};

/* Terms smaller than this, beside the largest one, do not change a sum. */
#define NEGLIGIBLE 1e-20

double estimate_root(double x)
{
    double root = x > 1 ? x : 1;
    double better = (root + x / root) / 2;

    if (x <= 0)
        return 0;
    while (better < root) { /* each is at least a little smaller: a thousand of them at most */
        root = better;
        better = (root + x / root) / 2;
    }
    return root;
}

struct interval estimate_wilson(uint64_t hits, uint64_t trials)
{
    double n = (double)trials;
    double p;
    double centre;
    double half;
    struct interval out = {0, 1};

    if (trials == 0)
        return out;
    p = (double)hits / n;
    centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n);
    half = Z * estimate_root(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n);
    if (hits > 0)
        out.low = centre - half;
    if (hits < trials)
        out.high = centre + half;
    return out;
}

/* The probability of at most `hits` of n, each with probability p. The terms are taken relative to
 * the largest one, so that none of those that matter is too small for a double, whatever n. */
static double at_most(uint64_t hits, uint64_t n, double p)
{
    double odds = p / (1 - p);
    uint64_t mode = (uint64_t)((double)(n + 1) * p);
    double all;
    double below;
    double term = 1;

    mode = mode < n ? mode : n;
    all = 1;
    below = mode <= hits ? 1 : 0;
    for (uint64_t i = mode; i > 0 && term > NEGLIGIBLE; i--) {
        term *= (double)i / ((double)(n - i + 1) * odds);
        all += term;
        below += i - 1 <= hits ? term : 0;
    }
    term = 1;
    for (uint64_t i = mode; i < n && term > NEGLIGIBLE; i++) {
        term *= (double)(n - i) * odds / (double)(i + 1);
        all += term;
        below += i + 1 <= hits ? term : 0;
    }
    return below / all;
}

/* The p with at_most(hits, n, p) == share: the larger p, the less likely are few hits. */
static double solve(uint64_t hits, uint64_t n, double share)
{
    double low = 0;
    double high = 1;

    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;

        if (at_most(hits, n, middle) > share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct interval estimate_exact(uint64_t hits, uint64_t trials)
{
    struct interval out = {0, 1};

    if (trials == 0)
        return out;
    if (hits > 0)
        out.low = solve(hits - 1, trials, 1 - TAIL);
    if (hits < trials)
        out.high = solve(hits, trials, TAIL);
    return out;
}

double estimate_at_least(uint64_t trials)
{
    return trials == 0 ? 0 : solve(trials - 1, trials, 1 - 2 * TAIL);
}

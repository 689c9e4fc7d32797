/* bias.c - which numbers are drawn more often than others.
 *
 * Errors sit at small numbers, at bounds and beside powers of two; a number drawn evenly from a
 * large range is none of these. How likely a value is decides what a search meets first, and
 * nothing else: the log holds the value, so replay and shrinking know nothing of this file.
 * SPDX-License-Identifier: MIT
 */
#include "base/rng.h"
#include "gen/gen.h"

enum {
    EVEN_BELOW = 17, /* where all values are few, they are equally likely */
    SMALL = 16,
};

static uint64_t scale(uint64_t bits, uint64_t n)
{
    return (uint64_t)(((rng_wide)bits * n) >> 64);
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* As many of one length in bits as of another. */
static uint64_t by_length(uint64_t bits, uint64_t most)
{
    uint32_t lengths = 65 - (uint32_t)__builtin_clzll(most);
    uint32_t length = (uint32_t)scale(bits, lengths);

    if (length == 0)
        return 0;
    return at_most(mix64(bits) >> (64 - length), most);
}

/* The last ones, or beside a power of two. */
static uint64_t at_bounds(uint64_t bits, uint64_t most)
{
    uint32_t lengths = 64 - (uint32_t)__builtin_clzll(most);
    uint64_t power = UINT64_C(1) << scale(bits, lengths);
    uint64_t which = mix64(bits);

    if ((which & 1) != 0)
        return most - ((which >> 1) & 1);
    return at_most(power - 1 + (which >> 1) % 3, most);
}

static uint64_t bias(const void *self, uint64_t n, uint64_t bits)
{
    uint64_t most = n - 1;
    uint64_t rest = bits << 3;

    (void)self;
    if (n < EVEN_BELOW)
        return scale(bits, n);
    switch (bits >> 61) {
    case 0:
    case 1:
        return scale(rest, n);
    case 2:
    case 3:
        return scale(rest, SMALL);
    case 4:
        return at_bounds(rest, most);
    default:
        return by_length(rest, most);
    }
}

uint64_t gen_below(struct trial *t, const char *label, uint64_t n)
{
    static const struct draw_shape shape = {.value = bias};

    return trial_draw_shaped(t, label, n, &shape);
}

struct chance {
    uint32_t yes;
    uint32_t of;
};

static uint64_t try_luck(const void *self, uint64_t n, uint64_t bits)
{
    const struct chance *chance = self;

    (void)n;
    return scale(bits, chance->of) < chance->yes ? 1 : 0;
}

bool gen_chance(struct trial *t, const char *label, uint32_t yes, uint32_t of)
{
    struct chance chance = {yes, of};

    return trial_draw_shaped(t, label, 2, &(struct draw_shape){try_luck, &chance}) != 0;
}

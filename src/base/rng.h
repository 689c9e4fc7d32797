/* rng.h - the random generator of strategies (xoshiro256**, seeded through splitmix64) and the
 * mixing function of ids and hashes.
 *
 * Ours on purpose: stored seeds must mean the same trials for ever, on every machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

__extension__ typedef unsigned __int128 rng_wide;

struct rng {
    uint64_t s[4];
};

/* Spreads the bits of x over all of the result (the finaliser of splitmix64, a bijection). */
static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* One value that depends on both, in this order. */
static inline uint64_t mix_pair(uint64_t a, uint64_t b)
{
    return mix64(a + b * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019));
}

/* The same for ids of operations and the hash of their order, where a step can afford one
 * multiplication: both halves of the product, folded. */
static inline uint64_t mix_fold(uint64_t a, uint64_t b)
{
    rng_wide product =
        (rng_wide)(a ^ UINT64_C(0xa0761d6478bd642f)) * (b + UINT64_C(0xe7037ed1a0b428db));

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Starts the stream that belongs to (seed, stream). */
void rng_init(struct rng *rng, uint64_t seed, uint64_t stream);

static inline uint64_t rng_rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rng_rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rng_rotl(s[3], 45);
    return result;
}

/* A value below n (n >= 1, n < 2^32), by multiply and shift. The bias, below n / 2^64, cannot be
 * measured. */
static inline uint32_t rng_below(struct rng *rng, uint32_t n)
{
    return (uint32_t)(((rng_wide)rng_next(rng) * n) >> 64);
}

/* The same for 64 bits. */
static inline uint64_t rng_below64(struct rng *rng, uint64_t n)
{
    return (uint64_t)(((rng_wide)rng_next(rng) * n) >> 64);
}

#endif

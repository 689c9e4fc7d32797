/* rng.c - seeding. SPDX-License-Identifier: MIT */
#include "base/rng.h"

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t x = mix_pair(seed, stream);

    for (int i = 0; i < 4; i++) {
        x += UINT64_C(0x9e3779b97f4a7c15);
        rng->s[i] = mix64(x);
    }
    rng->s[0] |= 1; /* the all-zero state would stay zero */
}

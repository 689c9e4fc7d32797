/* sha1.c - see sha1.h. SPDX-License-Identifier: MIT */
#include "sha1.h"

#include <assert.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 80 };

static uint32_t rotate(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

/* The function and the constant of a round. */
static uint32_t mix(int round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20)
        return ((b & c) | (~b & d)) + UINT32_C(0x5a827999);
    if (round < 40)
        return (b ^ c ^ d) + UINT32_C(0x6ed9eba1);
    if (round < 60)
        return ((b & c) | (b & d) | (c & d)) + UINT32_C(0x8f1bbcdc);
    return (b ^ c ^ d) + UINT32_C(0xca62c1d6);
}

static void expand(const uint8_t block[BLOCK], uint32_t w[ROUNDS])
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
}

void sha1_text(const char *text, uint8_t digest[SHA1_BYTES])
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint32_t v[5];
    uint32_t w[ROUNDS];
    uint8_t block[BLOCK] = {0};
    size_t n = strlen(text);

    assert(n <= SHA1_TEXT_MAX);
    memcpy(block, text, n);
    block[n] = 0x80;
    block[BLOCK - 2] = (uint8_t)(n * 8 >> 8);
    block[BLOCK - 1] = (uint8_t)(n * 8);
    expand(block, w);
    memcpy(v, h, sizeof(v));
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t next = rotate(v[0], 5) + mix(i, v[1], v[2], v[3]) + v[4] + w[i];

        memmove(v + 1, v, 4 * sizeof(*v));
        v[2] = rotate(v[2], 30);
        v[0] = next;
    }
    for (int i = 0; i < 5; i++) {
        h[i] += v[i];
        for (int k = 0; k < 4; k++)
            digest[4 * i + k] = (uint8_t)(h[i] >> (24 - 8 * k));
    }
}

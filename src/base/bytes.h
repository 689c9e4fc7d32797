/* bytes.h - numbers as bytes that mean the same on every machine: little-endian 64-bit
 * words. SPDX-License-Identifier: MIT
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

static inline void bytes_put(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t bytes_get(const unsigned char *at)
{
    uint64_t value = 0;

    for (int i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Words one after the other, with a hash of them. */
struct bytes_writer {
    unsigned char *to; /* NULL: they are only counted */
    size_t n;          /* bytes so far */
    uint64_t sum;
    bool is_bad; /* there is something that cannot be written */
};

static inline void bytes_write(struct bytes_writer *w, uint64_t word)
{
    if (w->to != NULL)
        bytes_put(w->to + w->n, word);
    w->sum = mix_pair(w->sum, word);
    w->n += 8;
}

#endif

/* bytes.h - states of strategies as bytes that mean the same on every machine: little-endian 64-bit
 * words. SPDX-License-Identifier: MIT
 */
#ifndef STRATEGY_BYTES_H
#define STRATEGY_BYTES_H

#include <stddef.h>
#include <stdint.h>

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

#endif

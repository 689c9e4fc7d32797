/* hash.h - a hash of bytes that can be fed piece by piece (FNV-1a, 64 bits).
 *
 * It guards files against accidents and careless edits, not against an opponent: whoever reads the
 * file must stay safe when the hash is right. SPDX-License-Identifier: MIT
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_add(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A text with its end, so that two texts one after the other are told from others. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_add(hash, text, strlen(text) + 1);
}

#endif

/* callsite.h - where in the code a call comes from, as a number that is the same in every process.
 *
 * An address is not: a program and its libraries lie somewhere else each time they are loaded. How
 * far it is from the beginning of its file is, for as long as the file is not built anew. What was
 * learned of a place can so be saved, and is known again by a run that goes on in another process.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_CALLSITE_H
#define ENGINE_CALLSITE_H

#include "engine/modules.h"

#include <stdint.h>

/* Zeroed: nothing is known yet. In memory outside of the world. */
struct callsites {
    uint64_t start; /* of the file that was asked for last, ... */
    uint64_t size;  /* ... and how long it is; 0: none was */
    uint32_t name;  /* a hash of what it is called */
    uint32_t reads; /* how often the list was read: libraries may be loaded later */
    struct modules modules;
};

uint32_t callsite_find(struct callsites *sites, uint64_t address);

/* The place that an address is; 0: it is in no file. */
static inline uint32_t callsite_of(struct callsites *sites, const void *address)
{
    uint64_t at = (uint64_t)(uintptr_t)address - sites->start;

    if (__builtin_expect(at >= sites->size, 0))
        return callsite_find(sites, (uint64_t)(uintptr_t)address);
    return sites->name + (uint32_t)at;
}

#endif

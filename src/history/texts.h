/* texts.h - texts with numbers: the same text, the same number. SPDX-License-Identifier: MIT */
#ifndef HISTORY_TEXTS_H
#define HISTORY_TEXTS_H

#include "base/arena.h"
#include "history/grow.h"

#include <stdint.h>

struct texts_entry {
    const char *bytes; /* in the arena; a zero byte follows */
    uint64_t hash;
    uint64_t n;
};

/* Zeroed is an empty table. */
struct texts {
    struct arena arena;
    struct grow entries; /* struct texts_entry, in the order in which they came */
    uint32_t n;
    struct grow slots; /* uint32_t, number of an entry plus 1; 0: free */
    uint32_t n_slots;  /* a power of two */
};

/* The number of n bytes, new or not, in *number. 0, or SN_ENOMEM. */
int texts_add(struct texts *texts, const char *bytes, size_t n, uint32_t *number);

/* The text of a number that texts_add gave. */
const struct texts_entry *texts_at(const struct texts *texts, uint32_t number);

/* Bytes that it takes. */
size_t texts_bytes(const struct texts *texts);

void texts_done(struct texts *texts);

#endif

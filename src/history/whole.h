/* whole.h - sets and lists that were read as a whole: what a value that stands for one consists of.
 *
 * A model compares one number for all of it (sn_list_value, sn_set_value). Here is what is behind
 * such a number. A list that is read again and again while it grows is kept once: lists of which
 * one is the beginning of the other share their elements. SPDX-License-Identifier: MIT
 */
#ifndef HISTORY_WHOLE_H
#define HISTORY_WHOLE_H

#include "base/arena.h"
#include "history/grow.h"

#include <sennit/history.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    WHOLE_FIRST_SHOWN = 8, /* elements of a long one that are shown at its beginning ... */
    WHOLE_LAST_SHOWN = 2,  /* ... and at its end */
    WHOLE_SHOWN_MAX = WHOLE_FIRST_SHOWN + WHOLE_LAST_SHOWN,
    WHOLE_SPINES = 256,
};

struct whole {
    sn_value value;           /* that stands for it */
    const sn_value *elements; /* of a set the smallest first */
    uint64_t n;
    bool is_set;
};

/* A list that may still grow, in memory of the arena. */
struct whole_spine {
    sn_value *elements;
    size_t n;
    size_t capacity;
};

/* Zeroed is an empty table. */
struct wholes {
    struct arena arena;
    struct whole_spine spines[WHOLE_SPINES]; /* by their first element */
    struct grow entries;                     /* struct whole */
    uint32_t n;
    struct grow slots; /* uint32_t, number of an entry plus 1; 0: free */
    uint32_t n_slots;  /* a power of two */
};

/* Adds the n elements, which a set has sorted, and gives the value that stands for them. 0, or
 * SN_ENOMEM. */
int wholes_add(struct wholes *wholes, const sn_value *elements, size_t n, bool is_set,
               sn_value *value);

/* What a value stands for; NULL: for nothing of the kind. */
const struct whole *wholes_find(const struct wholes *wholes, sn_value value);

/* Bytes that it takes. */
size_t wholes_bytes(const struct wholes *wholes);

void wholes_done(struct wholes *wholes);

#endif

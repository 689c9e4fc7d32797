/* gate.h - what a machine takes at some moment, as a number that outlives the moment.
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_GATE_H
#define SUBSTRATE_GATE_H

#include "engine/trial.h"

enum {
    GATE_ANY = 1, /* takes everything, or too much is in use to tell */
    GATE_START,   /* only the start */
    GATES_FIRST,
    GATES_MAX = 1 << 12,
    GATES_SLOTS = 2 * GATES_MAX,
};

struct gate {
    const struct sn_state *state; /* NULL: this is a cut */
    uint64_t cut;
    uint32_t below;
};

struct gates {
    uint32_t n;
    bool is_full; /* some gate is not what it should be */
    struct gate all[GATES_FIRST + GATES_MAX];
    uint32_t slots[GATES_SLOTS];
};

/* See struct substrate. */
uint32_t gate_of(struct trial *t, uint32_t task);
bool gate_takes(struct trial *t, uint32_t gate, const struct sn_op *op);

#endif

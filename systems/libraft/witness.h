/* witness.h - looks at a server of the library and tells the monitors what has changed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_WITNESS_H
#define LIBRAFT_WITNESS_H

#include "io.h"

/* What the monitors know of a server. */
struct witness {
    uint64_t term;
    uint64_t commit_index;
    uint64_t last_stored;
    unsigned short state;
    struct configured configured;
};

/* The term of an entry of the library's log; 0: not known. */
uint64_t log_term(const struct raft_log *log, uint64_t index);

/* To be called when the library has started. */
void witness_begin(struct witness *witness, const struct raft *raft);

/* To be called whenever the library has done something. */
void witness_look(struct witness *witness, const struct raft *raft, const struct io *io);

#endif

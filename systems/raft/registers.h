/* registers.h - the state machine that is replicated: a few registers that count their writes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_REGISTERS_H
#define RAFT_REGISTERS_H

#include "types.h"

enum { REGISTERS = RAFT_STATE_WORDS / 2 };

/* What a command or a query says, in the words of an entry's or a request's data. */
enum register_word {
    REGISTER_KEY,   /* which register; any number, taken modulo their number */
    REGISTER_VALUE, /* what a command writes to it */
};

/* What the result says, of a command as of a query. */
enum register_result {
    REGISTER_CONTENT,
    REGISTER_VERSION, /* how often the register has been written to */
};

struct registers {
    uint32_t values[REGISTERS];
    uint32_t versions[REGISTERS];
};

/* Writes a register. */
void registers_apply(struct registers *registers, const uint32_t *data, uint32_t *result);

/* Reads one. */
void registers_query(const struct registers *registers, const uint32_t *data, uint32_t *result);

/* To and from the words of a snapshot. */
void registers_save(const struct registers *registers, uint32_t *state);
void registers_restore(struct registers *registers, const uint32_t *state);

#endif

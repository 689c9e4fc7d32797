/* fsm.h - the state machine that is replicated: two registers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_FSM_H
#define LIBRAFT_FSM_H

#include "events.h"

/* A command is eight bytes. A write writes its id, which no other command has. */
struct command {
    uint32_t id;
    uint16_t ask; /* ASK_WRITE or ASK_READ */
    uint16_t key;
};

struct registers {
    uint64_t count;  /* of commands that were executed */
    uint64_t digest; /* of all of them, in their order */
    uint32_t values[KEYS];
};

/* What a command came to. */
struct result {
    uint32_t command;
    uint32_t value;
};

/* The state machine of one server. */
struct machine {
    uint32_t server;
    struct registers registers;
    struct result result; /* of the last command */
    struct raft_fsm fsm;  /* for the library; fsm.data is this struct */
};

/* Fills in machine->fsm; a version below 3 has no asynchronous part. */
void machine_init(struct machine *machine, uint32_t server, bool has_async_work);

#endif

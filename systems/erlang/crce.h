/* crce.h - a chain of log servers that grows by one: its servers, its clients, and how it changes.
 *
 * A value is written to all servers of the chain in order, and read from the last one. A server
 * that is to be added is repaired first, and written to as well in the meantime. Layouts are
 * numbered by epochs; clients whose layout is refused get the latest one from the layout server and
 * begin again. What was tried at two stages of the protocol differs in where the new server comes:
 * each stage is a struct crce.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_CRCE_H
#define ERLANG_CRCE_H

#include "log_unit.h"

#include <sennit/sennit.h>

enum {
    UNITS = 3, /* a, b and c, which is added */
    UNIT_A = 0,
    UNIT_B,
    UNIT_C,
    WRITERS = 2, /* of the values 1 and 2 */
    READS = 2,
    CLIENTS = WRITERS + 2,
    NOISE_POINTS = 8,
};

struct layout {
    uint32_t epoch;
    uint32_t n_chain;
    uint32_t n_repairing;
    uint32_t order[UNITS]; /* in which they are written to */
};

enum call_kind {
    CALL_WRITE = 1,
    CALL_CLOBBER,
    CALL_READ,
    CALL_SET_LAYOUT,
};

struct result {
    uint32_t result; /* enum log_result */
    uint32_t value;
};

/* What a client has done. */
struct outcome {
    uint32_t is_reader;
    struct result results[READS];
};

struct servers {
    sn_id units[UNITS];
    sn_id layout_server;
    sn_id parent;
    uint32_t stage;
    uint32_t value; /* that a writer writes */
};

/* A stage of the protocol. */
struct crce {
    uint32_t stage;       /* its number */
    bool is_head;         /* what is repaired comes before the chain, not after it */
    uint32_t layouts_max; /* that a client tries */
    struct layout during; /* while c is repaired; before that there are a and b */
    struct layout after;
    enum call_kind repairs_by; /* a write, or one that replaces what is there */
};

extern const struct crce crce_2;
extern const struct crce crce_3;

/* Starts the servers and clients of a stage, but not the process that changes the layout, and fills
 * in *servers, whose parent is the caller. */
void crce_start(const struct crce *crce, struct servers *servers);

/* Asks a server what it has. */
struct result crce_read(const struct servers *servers, uint32_t unit, uint32_t epoch);

/* What the changing of the layout consists of: clients are told, servers are told, and the new
 * server is given what another one has. */
void crce_publish(const struct servers *servers, const struct layout *layout);
void crce_install(const struct servers *servers, const struct layout *layout);
void crce_repair(const struct servers *servers, const struct layout *layout, uint32_t from);

/* Checks that a write ended as one may, and that nothing that was read is lost. */
void crce_check(const struct outcome *outcome);

extern const struct sn_event crce_birth_event; /* a struct servers */
extern const struct sn_event crce_outcome_event;

#endif

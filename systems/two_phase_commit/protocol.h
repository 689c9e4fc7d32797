/* protocol.h - what the sites of a two-phase commit say to each other, and need of the world.
 *
 * Site 0 is the coordinator, sites 1, 2, ... are the participants. Neither role owns a socket, a
 * disk or a timer: both reach them through struct tpc_io. The network may lose, double, delay and
 * reorder messages; a site may stop at any moment and start again with nothing but its log.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWO_PHASE_COMMIT_PROTOCOL_H
#define TWO_PHASE_COMMIT_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TPC_COORDINATOR = 0,
    TPC_PARTICIPANTS_MAX = 8,
    TPC_TRANSACTIONS_MAX = 32, /* that one site keeps in mind */
};

enum tpc_kind {
    TPC_PREPARE = 1, /* coordinator: can you commit? */
    TPC_YES,         /* participant: I can, whatever happens */
    TPC_NO,          /* participant: I never will */
    TPC_COMMIT,      /* the decision */
    TPC_ABORT,
    TPC_ACK,   /* participant: the decision to commit is in my log */
    TPC_QUERY, /* participant in doubt: what was decided? */
};

struct tpc_message {
    uint32_t kind; /* enum tpc_kind */
    uint32_t transaction;
    uint32_t from; /* a site */
    uint32_t key;  /* what the transaction writes, in TPC_PREPARE */
};

enum tpc_outcome {
    TPC_COMMITTED = 1,
    TPC_ABORTED,
};

/* What a site needs of the world. All entries are required. Disk operations return 0 or a number of
 * bytes, or a negative error if they did nothing. */
struct tpc_io {
    void (*send)(void *self, uint32_t to, const struct tpc_message *message);

    /* The site's log. What was appended survives a crash for sure once it was synced. */
    int (*append)(void *self, const void *bytes, size_t n);
    int (*sync)(void *self);
    int64_t (*read)(void *self, uint64_t offset, void *bytes, size_t n);
    int (*truncate)(void *self, uint64_t size);

    /* Calls the site's on_timer with this transaction, once, after a while. */
    void (*start_timer)(void *self, uint32_t transaction);

    /* This site can no longer change its mind. Called again after a restart for what the log says.
     */
    void (*decided)(void *self, uint32_t transaction, enum tpc_outcome outcome);
};

#endif

/* coordinator.h - decides transactions in two phases, with presumed abort.
 *
 * First it asks all participants to prepare; if all of them say yes it writes a commit record,
 * waits until that is durable, and tells them. It keeps a committed transaction in mind, also
 * across crashes, until each participant has acknowledged it. Everything it does not know of was
 * aborted: so an abort costs no disk write and no acknowledgement.
 *
 * Ids of transactions are never used again: they contain the number of the coordinator's life,
 * which is durable before the first of them is given away.
 *
 * Errors are negative: those of the disk, and -ENOSPC.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWO_PHASE_COMMIT_COORDINATOR_H
#define TWO_PHASE_COMMIT_COORDINATOR_H

#include "protocol.h"
#include "wal.h"

struct coordinator_config {
    uint32_t participant_count; /* 1 to TPC_PARTICIPANTS_MAX */

    /* Wrong: the commit record is written, but not awaited, before participants are told. A crash
     * takes it away, and what one participant has committed is presumed aborted. */
    bool tell_before_durable;

    /* Wrong: acknowledgements are counted. One that comes twice stands for one that is missing; the
     * transaction is forgotten too early, and presumed aborted. */
    bool count_acks;
};

enum coordinator_state {
    COORDINATOR_FREE = 0,
    COORDINATOR_VOTING,   /* asking; may still abort */
    COORDINATOR_DECIDING, /* the commit record may be durable or not: may no longer abort */
    COORDINATOR_COMMITTED /* waiting for acknowledgements */
};

struct coordinator_entry {
    uint32_t transaction;
    uint32_t key;
    uint32_t state;   /* enum coordinator_state */
    uint32_t yes;     /* set of participants that said so */
    uint32_t acked;   /* set of participants that have the decision in their log */
    uint32_t acks;    /* how many acknowledgements came */
    uint32_t retries; /* of the question */
};

/* To be treated as opaque; here so that it can be embedded. */
struct coordinator {
    struct coordinator_config config;
    const struct tpc_io *io;
    void *io_self;
    uint32_t epoch;
    uint32_t begun; /* transactions in this epoch */
    struct coordinator_entry entries[TPC_TRANSACTIONS_MAX];
};

/* Starts a coordinator from its log and takes up what it had to finish. Keeps io and io_self. On an
 * error it must not be used; starting again later is all right. */
int coordinator_init(struct coordinator *c, const struct coordinator_config *config,
                     const struct tpc_io *io, void *io_self);

/* Begins a transaction that writes this key at every participant. The answer comes by
 * io->decided. -ENOSPC: too many are open, or were begun in this life. */
int coordinator_begin(struct coordinator *c, uint32_t key, uint32_t *transaction);

void coordinator_on_message(struct coordinator *c, const struct tpc_message *message);
void coordinator_on_timer(struct coordinator *c, uint32_t transaction);

#endif

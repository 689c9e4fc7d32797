/* participant.h - one of those who must agree on the outcome of a transaction.
 *
 * A participant that has said yes is in doubt: it must wait for the decision, however long that
 * takes, with the key of the transaction locked. It asks the coordinator and the other participants
 * again and again. One of them that has the decision passes it on; one that has not voted yet
 * refuses for good, and so knows that the outcome is abort (cooperative termination).
 *
 * A participant votes no for a transaction whose key is locked by another one in doubt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWO_PHASE_COMMIT_PARTICIPANT_H
#define TWO_PHASE_COMMIT_PARTICIPANT_H

#include "protocol.h"
#include "wal.h"

struct participant_config {
    uint32_t site;              /* its own, from 1 */
    uint32_t participant_count; /* 1 to TPC_PARTICIPANTS_MAX */

    /* Wrong: a participant that has voted yes gives up when nobody answers its questions. */
    bool give_up_in_doubt;

    /* Wrong: votes yes before its promise is durable. After a crash it does not know that it ever
     * was asked, and says that the outcome is abort. */
    bool vote_before_durable;

    /* Wrong: only undecided transactions are looked for when a question comes in, so a late copy of
     * the question makes the participant vote, and be in doubt, once more. */
    bool vote_again;

    /* Wrong: asked by another participant, it says that the outcome is abort because it has not
     * voted, but does not write down that it never will. */
    bool forget_refusal;
};

enum participant_state {
    PARTICIPANT_UNKNOWN = 0,
    PARTICIPANT_PREPARED, /* in doubt */
    PARTICIPANT_COMMITTED,
    PARTICIPANT_ABORTED,
};

struct participant_entry {
    uint32_t transaction;
    uint32_t key;
    uint32_t state; /* enum participant_state */
    uint32_t asked; /* how often, for a decision that has not come */
};

/* To be treated as opaque; here so that it can be embedded. */
struct participant {
    struct participant_config config;
    const struct tpc_io *io;
    void *io_self;
    uint32_t count;
    struct participant_entry entries[TPC_TRANSACTIONS_MAX];
};

/* Starts a participant from its log. What is in doubt is asked for at once. Keeps io and io_self.
 * Errors are those of the disk, and -ENOSPC; then it must not be used, but started again later. */
int participant_init(struct participant *p, const struct participant_config *config,
                     const struct tpc_io *io, void *io_self);

void participant_on_message(struct participant *p, const struct tpc_message *message);
void participant_on_timer(struct participant *p, uint32_t transaction);

/* Whether it has voted yes and waits for the decision. */
enum participant_state participant_state(const struct participant *p, uint32_t transaction);

#endif

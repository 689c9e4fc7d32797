/* acceptor.h - a replica of Cassandra's lightweight transactions: Paxos for one register.
 *
 * Decisions follow each other: what was agreed on is committed, and then the next value can be.
 * Ballots are numbers above 0, values too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_ACCEPTOR_H
#define ERLANG_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>

struct proposal {
    uint32_t ballot;
    uint32_t value; /* 0: none */
};

struct acceptor {
    uint32_t promised;           /* the highest ballot that was heard of */
    struct proposal in_progress; /* what was accepted and is not known to be committed */
    struct proposal committed;   /* the most recent one */
    bool confuses_ballots;       /* what is in progress gets the ballot of each promise */
};

void acceptor_init(struct acceptor *acceptor, bool confuses_ballots);

/* Whether the ballot is the highest so far. If so, *in_progress and *committed are what the
 * proposer has to know. */
bool acceptor_prepare(struct acceptor *acceptor, uint32_t ballot, struct proposal *in_progress,
                      struct proposal *committed);

/* Whether it accepts. */
bool acceptor_propose(struct acceptor *acceptor, struct proposal proposal);

void acceptor_commit(struct acceptor *acceptor, struct proposal proposal);

#endif

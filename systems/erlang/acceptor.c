/* acceptor.c - a replica of Cassandra's lightweight transactions. SPDX-License-Identifier: MIT */
#include "acceptor.h"

void acceptor_init(struct acceptor *acceptor, bool confuses_ballots)
{
    *acceptor = (struct acceptor){.confuses_ballots = confuses_ballots};
}

bool acceptor_prepare(struct acceptor *acceptor, uint32_t ballot, struct proposal *in_progress,
                      struct proposal *committed)
{
    if (ballot <= acceptor->promised)
        return false;
    *in_progress = acceptor->in_progress;
    *committed = acceptor->committed;
    acceptor->promised = ballot;
    if (acceptor->confuses_ballots)
        acceptor->in_progress.ballot = ballot;
    return true;
}

bool acceptor_propose(struct acceptor *acceptor, struct proposal proposal)
{
    if (proposal.ballot < acceptor->promised)
        return false;
    acceptor->promised = proposal.ballot;
    acceptor->in_progress = proposal;
    return true;
}

void acceptor_commit(struct acceptor *acceptor, struct proposal proposal)
{
    if (proposal.ballot > acceptor->committed.ballot)
        acceptor->committed = proposal;
    if (proposal.ballot >= acceptor->in_progress.ballot)
        acceptor->in_progress.value = 0;
}

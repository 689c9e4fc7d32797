/* paxos.h - the kinds of Multi-Paxos's messages. SPDX-License-Identifier: MIT */
#ifndef DS2_PAXOS_H
#define DS2_PAXOS_H

#include "object.h"

/* `number` is that of a proposal, `latest` the highest one that the sender has seen. */
enum paxos_kind {
    PAXOS_PROPOSE = DS2_OWN,
    PAXOS_PREPARE,
    PAXOS_PROMISE,
    PAXOS_NACK,
    PAXOS_ACCEPT,
    PAXOS_ACCEPTED,
    PAXOS_KINDS,
};

#endif

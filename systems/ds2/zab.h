/* zab.h - the kinds of Zab's messages. SPDX-License-Identifier: MIT */
#ifndef DS2_ZAB_H
#define DS2_ZAB_H

#include "object.h"

/* `number` is the epoch that it is about. AckEpoch and NewLeader bring a whole history; in AckEpoch
 * `term` is the epoch that it was made in. Propose brings one entry, the index-th. In AckLeader and
 * Ack `index` is how long the sender's history is. */
enum zab_kind {
    ZAB_NEW_EPOCH = DS2_OWN,
    ZAB_ACK_EPOCH,
    ZAB_NEW_LEADER,
    ZAB_ACK_LEADER,
    ZAB_PROPOSE,
    ZAB_ACK,
    ZAB_COMMIT,
    ZAB_KINDS,
};

#endif

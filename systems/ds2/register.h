/* register.h - the kinds of messages of the three registers. SPDX-License-Identifier: MIT */
#ifndef DS2_REGISTER_H
#define DS2_REGISTER_H

#include "object.h"

/* `value` is what is written or was found, `number` the round of a client's operation. */
enum register_kind {
    REGISTER_WRITE_REPLICA = DS2_OWN,
    REGISTER_WRITE_REPLICA_ACK,
    REGISTER_READ_REPLICA,
    REGISTER_READ_REPLICA_ACK,
    REGISTER_KINDS,
};

#endif

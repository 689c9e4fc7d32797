/* witness.h - tells the monitors what a server lets an observer see.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_WITNESS_H
#define RAFT_WITNESS_H

#include "raft.h"
#include "registers.h"

void witness(const struct raft *raft, const struct registers *registers, enum raft_moment moment,
             uint32_t index);

#endif

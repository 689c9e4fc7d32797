/* raft.h - the kinds of Raft's messages. SPDX-License-Identifier: MIT */
#ifndef DS2_RAFT_H
#define DS2_RAFT_H

#include "object.h"

/* `number` is the sender's term. In RequestVote `index` and `term` are those of the last entry, in
 * Append those of the entry before the first. In answers `value` is 1 for yes; of AppendAnswer
 * `index` is, for yes, how far the logs agree, and for no, where they do not. */
enum raft_kind {
    RAFT_REQUEST_VOTE = DS2_OWN,
    RAFT_VOTE,
    RAFT_APPEND,
    RAFT_APPEND_ANSWER,
    RAFT_KINDS,
};

#endif

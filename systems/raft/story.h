/* story.h - tells whoever reads a trace what becomes of a server. SPDX-License-Identifier: MIT */
#ifndef RAFT_STORY_H
#define RAFT_STORY_H

#include "raft.h"

/* What was true of a server when it was told of last. */
struct story {
    enum raft_role role;
    uint32_t term;
    uint32_t vote;
    uint32_t members;
    uint32_t commit_index;
    uint32_t last_index;
    uint32_t last_term;
    uint32_t snapshot_index;
};

/* The server is what it is, which is nothing new. */
void story_begin(struct story *story, const struct raft *r);

/* Notes what has changed since the last call. */
void story_tell(struct story *story, const struct raft *r);

#endif

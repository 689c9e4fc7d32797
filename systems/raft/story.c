/* story.c - see story.h. SPDX-License-Identifier: MIT */
#include "story.h"

#include "log.h"
#include "server.h"

#include <sennit/sennit.h>

#include <stdio.h>

void story_begin(struct story *story, const struct raft *r)
{
    *story = (struct story){
        .role = r->role,
        .term = r->term,
        .vote = r->vote,
        .members = r->members,
        .commit_index = r->commit_index,
        .last_index = raft_log_last_index(&r->log),
        .last_term = raft_log_last_term(&r->log),
        .snapshot_index = r->snapshot.last_index,
    };
}

static void tell_role(const struct story *was, const struct raft *r)
{
    bool is_new_term = r->term != was->term;

    if (r->role == RAFT_LEADER && (was->role != RAFT_LEADER || is_new_term))
        sn_note("leads term %u", r->term);
    else if (r->role == RAFT_CANDIDATE && (was->role != RAFT_CANDIDATE || is_new_term))
        sn_note("stands for election in term %u", r->term);
    else if (r->role == RAFT_FOLLOWER && was->role == RAFT_LEADER)
        sn_note("leads no longer, in term %u", r->term);
    if (r->role == RAFT_FOLLOWER && r->vote != 0 && (r->vote != was->vote || is_new_term))
        sn_note("votes for server %u in term %u", r->vote, r->term);
}

static void tell_members(const struct story *was, const struct raft *r)
{
    char text[4 * RAFT_SERVERS_MAX + 1] = "";
    size_t used = 0;

    if (r->members == was->members)
        return;
    for (uint32_t i = 1; i <= RAFT_SERVERS_MAX; i++) {
        if ((r->members & raft_bit(i)) != 0)
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %u", i);
    }
    sn_note("takes these for the members:%s", text);
}

/* Whether what was the last entry of its log is there no longer. */
static bool has_lost_last(const struct story *was, const struct raft *r)
{
    uint32_t last = was->last_index;

    return last > r->snapshot.last_index &&
           (raft_log_last_index(&r->log) < last || raft_log_term(&r->log, last) != was->last_term);
}

static void tell_log(const struct story *was, const struct raft *r)
{
    if (r->snapshot.last_index != was->snapshot_index && r->snapshot.last_index > was->last_index)
        sn_note("goes on from a snapshot of entries 1 to %u", r->snapshot.last_index);
    else if (has_lost_last(was, r))
        sn_note("drops entry %u of term %u", was->last_index, was->last_term);
    if (r->role == RAFT_LEADER && r->commit_index > was->commit_index)
        sn_note("entry %u is committed", r->commit_index);
}

void story_tell(struct story *story, const struct raft *r)
{
    tell_role(story, r);
    tell_members(story, r);
    tell_log(story, r);
    story_begin(story, r);
}

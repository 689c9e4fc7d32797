/* replication.c - how the log of a leader becomes the log of its followers.
 *
 * A leader sends each follower the entries from next_index on, preceded by index and term of the
 * one before. A follower that has not got that one says where its log went another way, and the
 * leader goes back by whole terms. What was sent and not answered is sent again with the next
 * command or heartbeat.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"
#include "storage.h"

static void send_append(struct raft *r, uint32_t to);
static bool is_continuous(const struct raft *r, const struct raft_append *append);
static void refuse(struct raft *r, const struct raft_append *append);
static void take_entries(struct raft *r, const struct raft_append *append);
static uint32_t back_off(const struct raft *r, const struct raft_append_reply *reply);

void raft_replication_begin(struct raft *r)
{
    struct raft_entry noop = {.kind = RAFT_NOOP};

    r->round = 0;
    for (uint32_t server = 1; server <= RAFT_SERVERS_MAX; server++)
        raft_replication_begin_with(r, server);
    r->start_index = raft_log_last_index(&r->log) + 1;
    raft_replication_propose(r, &noop);
}

void raft_replication_begin_with(struct raft *r, uint32_t server)
{
    r->progress[server] = (struct raft_progress){
        .next_index = raft_log_last_index(&r->log) + 1,
    };
}

bool raft_replication_propose(struct raft *r, struct raft_entry *entry)
{
    entry->term = r->term;
    if (!raft_log_append(&r->log, entry))
        return false;

    uint32_t index = raft_log_last_index(&r->log);

    raft_storage_save_log(r, index);
    raft_observe(r, RAFT_APPENDED, index);
    if (entry->kind == RAFT_CONFIG)
        raft_membership_refresh(r);
    raft_replication_broadcast(r);
    raft_commitment_advance(r);
    return true;
}

void raft_replication_broadcast(struct raft *r)
{
    uint32_t peers = raft_membership_peers(r);

    r->round++;
    for (uint32_t server = 1; server <= RAFT_SERVERS_MAX; server++) {
        if ((peers & raft_bit(server)) != 0)
            send_append(r, server);
    }
}

void raft_replication_on_append(struct raft *r, const struct raft_append *append)
{
    if (r->role == RAFT_LEADER)
        return;
    if (append->header.term == r->term)
        raft_election_heard_leader(r, append->header.from);
    if (append->header.term < r->term || !is_continuous(r, append)) {
        refuse(r, append);
        return;
    }
    take_entries(r, append);

    uint32_t match_index = append->prev_index + append->count;

    if (match_index > raft_log_last_index(&r->log))
        match_index = raft_log_last_index(&r->log); /* the log was full */

    uint32_t verified_index =
        r->config.bugs.commit_unverified ? raft_log_last_index(&r->log) : match_index;

    raft_replication_confirm(r, &append->header, append->round, match_index);
    raft_commitment_reach(r, append->commit_index < verified_index ? append->commit_index
                                                                   : verified_index);
}

void raft_replication_on_reply(struct raft *r, const struct raft_append_reply *reply)
{
    uint32_t follower = reply->header.from;
    struct raft_progress *progress = &r->progress[follower];

    if (r->role != RAFT_LEADER || (raft_membership_peers(r) & raft_bit(follower)) == 0)
        return;
    if (reply->round > progress->acked_round)
        progress->acked_round = reply->round;
    if (reply->is_success != 0 && reply->match_index > progress->match_index)
        progress->match_index = reply->match_index;
    if (reply->is_success == 0)
        progress->next_index = back_off(r, reply);
    if (progress->next_index <= progress->match_index)
        progress->next_index = progress->match_index + 1;

    raft_commitment_advance(r);
    raft_read_serve(r);
    raft_membership_on_progress(r);
    if (r->role == RAFT_LEADER && progress->match_index < raft_log_last_index(&r->log))
        send_append(r, follower);
}

void raft_replication_confirm(struct raft *r, const struct raft_header *to, uint32_t round,
                              uint32_t match_index)
{
    struct raft_append_reply reply = {
        .round = round,
        .is_success = 1,
        .match_index = match_index,
    };

    raft_send(r, to->from, RAFT_APPEND_REPLY, &reply);
}

static void send_append(struct raft *r, uint32_t to)
{
    uint32_t prev_index = r->progress[to].next_index - 1;
    struct raft_append append = {
        .round = r->round,
        .prev_index = prev_index,
        .prev_term = raft_log_term(&r->log, prev_index),
        .commit_index = r->commit_index,
    };

    if (prev_index < r->log.base_index) {
        raft_snapshot_send(r, to);
        return;
    }
    while (append.count < r->config.batch && raft_log_has(&r->log, prev_index + append.count + 1)) {
        append.entries[append.count] = *raft_log_at(&r->log, prev_index + append.count + 1);
        append.count++;
    }
    raft_send(r, to, RAFT_APPEND, &append);
}

/* Whether this server has the entry before those that are sent. What is in its snapshot is
 * committed, so the leader has the same. */
static bool is_continuous(const struct raft *r, const struct raft_append *append)
{
    if (append->prev_index < r->log.base_index)
        return true;
    if (append->prev_index > raft_log_last_index(&r->log))
        return false;
    return raft_log_term(&r->log, append->prev_index) == append->prev_term ||
           r->config.bugs.compare_lengths;
}

/* Says where the leader should try next: behind this log if it is too short, or else where the
 * entries of the term begin that is in the way. */
static void refuse(struct raft *r, const struct raft_append *append)
{
    struct raft_append_reply reply = {
        .round = append->round,
        .conflict_index = raft_log_last_index(&r->log) + 1,
    };

    if (append->prev_index <= raft_log_last_index(&r->log)) {
        reply.conflict_index = append->prev_index;
        reply.conflict_term = raft_log_term(&r->log, append->prev_index);
        while (reply.conflict_index > r->log.base_index + 1 &&
               raft_log_term(&r->log, reply.conflict_index - 1) == reply.conflict_term)
            reply.conflict_index--;
    }
    raft_send(r, append->header.from, RAFT_APPEND_REPLY, &reply);
}

/* Only an entry that differs from the leader's makes those behind it go: a message that was long
 * under way must not take back what was confirmed since. */
static void take_entries(struct raft *r, const struct raft_append *append)
{
    uint32_t first_new = 0;

    if (r->config.bugs.truncate_always && append->count > 0)
        raft_log_truncate(&r->log, append->prev_index + 1);
    for (uint32_t i = 0; i < append->count; i++) {
        uint32_t index = append->prev_index + 1 + i;

        if (index <= r->log.base_index)
            continue;
        if (raft_log_has(&r->log, index)) {
            if (raft_log_term(&r->log, index) == append->entries[i].term)
                continue;
            raft_log_truncate(&r->log, index);
        }
        if (!raft_log_append(&r->log, &append->entries[i]))
            break;
        if (first_new == 0)
            first_new = index;
    }
    if (first_new == 0)
        return;
    raft_storage_save_log(r, first_new);
    for (uint32_t index = first_new; index <= raft_log_last_index(&r->log); index++)
        raft_observe(r, RAFT_APPENDED, index);
    raft_membership_refresh(r);
}

/* Goes back to where the follower's entries of the conflicting term begin; or, if this log has
 * entries of that term too, behind the last of them, since up to there both are the same. */
static uint32_t back_off(const struct raft *r, const struct raft_append_reply *reply)
{
    uint32_t end_index = raft_log_last_index(&r->log) + 1;
    uint32_t index = end_index - 1;

    if (reply->conflict_term == 0)
        return reply->conflict_index < end_index ? reply->conflict_index : end_index;
    while (index > reply->conflict_index && raft_log_term(&r->log, index) > reply->conflict_term)
        index--;
    if (raft_log_term(&r->log, index) == reply->conflict_term &&
        index + 1 < r->progress[reply->header.from].next_index)
        return index + 1;
    return reply->conflict_index < end_index ? reply->conflict_index : end_index;
}

/* membership.c - who belongs to the cluster, and how that changes.
 *
 * One server at a time (chapter 4 of the thesis): any majority of the members before a change has a
 * server in common with any majority of those after it. That holds for changes that follow each
 * other, so one must be committed before the next begins. It does not hold for two changes that
 * leaders of different terms make to the same members; therefore a leader makes none before an
 * entry of its own term is committed, which leaves no place for what others have not committed.
 *
 * A change is in force as soon as it is in the log, and until it is in it no more. A new server
 * gets the log first and becomes a member once it has caught up, so that a change does not make the
 * others wait for it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"

enum { JOINING_BEATS = 20 };

static bool may_change(const struct raft *r);
static void propose(struct raft *r, uint32_t members);
static struct raft_waiting *find_joining(struct raft *r);
static uint32_t last_change(const struct raft *r, uint32_t index);

bool raft_membership_is_quorum(const struct raft *r, uint32_t set)
{
    return 2 * __builtin_popcount(set & r->members) > __builtin_popcount(r->members);
}

uint32_t raft_membership_peers(const struct raft *r)
{
    uint32_t peers = r->members;

    if (r->joining != 0)
        peers |= raft_bit(r->joining);
    return peers & ~raft_bit(r->config.id);
}

void raft_membership_refresh(struct raft *r)
{
    r->members_index = last_change(r, raft_log_last_index(&r->log));
    r->members = raft_membership_at(r, raft_log_last_index(&r->log));
}

uint32_t raft_membership_at(const struct raft *r, uint32_t index)
{
    uint32_t change = last_change(r, index);

    return raft_log_has(&r->log, change) ? raft_log_at(&r->log, change)->data[0]
                                         : r->snapshot.members;
}

void raft_membership_submit(struct raft *r, const struct raft_request *request)
{
    uint32_t server = request->data[0];

    if (server == 0 || server > RAFT_SERVERS_MAX ||
        (request->kind == RAFT_REMOVE && r->members == raft_bit(server))) {
        raft_request_answer(r, request, RAFT_REFUSED, NULL);
        return;
    }
    if (!may_change(r)) {
        raft_request_answer(r, request, RAFT_BUSY, NULL);
        return;
    }

    bool is_member = (r->members & raft_bit(server)) != 0;

    if (is_member == (request->kind == RAFT_ADD)) {
        raft_request_answer(r, request, RAFT_DONE, NULL);
        return;
    }

    struct raft_waiting *waiting = raft_request_keep(r, request);

    if (waiting == NULL)
        return;
    if (request->kind == RAFT_REMOVE) {
        waiting->index = raft_log_last_index(&r->log) + 1;
        propose(r, r->members & ~raft_bit(server));
        return;
    }
    r->joining = server;
    r->joining_goal = r->commit_index;
    r->joining_beats = JOINING_BEATS;
    raft_replication_begin_with(r, server);
    raft_replication_broadcast(r);
}

void raft_membership_on_progress(struct raft *r)
{
    uint32_t server = r->joining;

    if (server == 0 || r->progress[server].match_index < r->joining_goal)
        return;

    struct raft_waiting *waiting = find_joining(r);

    if (waiting != NULL)
        waiting->index = raft_log_last_index(&r->log) + 1;
    r->joining = 0;
    propose(r, r->members | raft_bit(server));
}

void raft_membership_on_heartbeat(struct raft *r)
{
    if (r->joining == 0 || --r->joining_beats > 0)
        return;

    struct raft_waiting *waiting = find_joining(r);

    r->joining = 0;
    if (waiting != NULL)
        raft_request_drop(r, (uint32_t)(waiting - r->waiting), RAFT_BUSY, NULL);
}

void raft_membership_on_applied(struct raft *r)
{
    if (r->role == RAFT_LEADER && (r->members & raft_bit(r->config.id)) == 0)
        raft_step_down(r, r->term);
}

/* Whether the change before is over, and everything that leaders before have left undone. */
static bool may_change(const struct raft *r)
{
    if (r->joining != 0 || r->members_index > r->commit_index || r->log.count == RAFT_LOG_MAX)
        return false;
    return r->commit_index >= r->start_index || r->config.bugs.overlapping_changes;
}

static void propose(struct raft *r, uint32_t members)
{
    struct raft_entry entry = {.kind = RAFT_CONFIG, .data = {members}};

    raft_replication_propose(r, &entry);
}

/* The request to add the server that is joining. */
static struct raft_waiting *find_joining(struct raft *r)
{
    for (uint32_t i = 0; i < r->waiting_count; i++) {
        if (r->waiting[i].request.kind == RAFT_ADD && r->waiting[i].index == 0)
            return &r->waiting[i];
    }
    return NULL;
}

/* Where the members up to an index were said last; in the snapshot if not behind it. */
static uint32_t last_change(const struct raft *r, uint32_t index)
{
    while (index > r->log.base_index && raft_log_at(&r->log, index)->kind != RAFT_CONFIG)
        index--;
    return index;
}

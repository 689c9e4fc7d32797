/* snapshot.c - state instead of history: taking, sending and installing snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"
#include "storage.h"

#include <string.h>

static void install(struct raft *r, const struct raft_snapshot *snapshot);

void raft_snapshot_take(struct raft *r)
{
    struct raft_snapshot snapshot = {
        .last_index = r->applied_index,
        .last_term = raft_log_term(&r->log, r->applied_index),
        .last_chain = raft_log_chain(&r->log, r->applied_index),
        .members = raft_membership_at(r, r->applied_index),
    };

    if (r->applied_index - r->log.base_index < r->config.snapshot_entries)
        return;
    r->env->save(r->env_self, snapshot.state);
    if (!r->config.bugs.snapshot_forgets_sessions)
        memcpy(snapshot.sessions, r->sessions, sizeof(snapshot.sessions));
    raft_storage_save_snapshot(r, &snapshot);
    r->snapshot = snapshot;
    raft_log_compact(&r->log, snapshot.last_index);
    raft_storage_rewrite_log(r);
}

void raft_snapshot_send(struct raft *r, uint32_t to)
{
    struct raft_install message = {.round = r->round, .snapshot = r->snapshot};

    raft_send(r, to, RAFT_INSTALL, &message);
}

/* A snapshot of what is known to be committed here is of no use, and a late one would take the
 * state machine back to where it was. */
void raft_snapshot_on_install(struct raft *r, const struct raft_install *message)
{
    struct raft_append_reply refusal = {.round = message->round};

    if (r->role == RAFT_LEADER)
        return;
    if (message->header.term < r->term) {
        raft_send(r, message->header.from, RAFT_APPEND_REPLY, &refusal);
        return;
    }
    raft_election_heard_leader(r, message->header.from);
    if (message->snapshot.last_index > r->commit_index || r->config.bugs.stale_snapshot)
        install(r, &message->snapshot);
    raft_replication_confirm(r, &message->header, message->round, message->snapshot.last_index);
}

void raft_snapshot_restore(struct raft *r, enum raft_moment moment)
{
    r->commit_index = r->snapshot.last_index;
    r->applied_index = r->snapshot.last_index;
    memcpy(r->sessions, r->snapshot.sessions, sizeof(r->sessions));
    r->env->restore(r->env_self, r->snapshot.state);
    raft_membership_refresh(r);
    raft_observe(r, moment, r->snapshot.last_index);
}

/* What lies behind the snapshot in the log stays if the log has the snapshot's last entry; if not,
 * the log is that of another leader, or too short. */
static void install(struct raft *r, const struct raft_snapshot *snapshot)
{
    raft_storage_save_snapshot(r, snapshot);
    r->snapshot = *snapshot;
    if (raft_log_has(&r->log, snapshot->last_index) &&
        raft_log_term(&r->log, snapshot->last_index) == snapshot->last_term)
        raft_log_compact(&r->log, snapshot->last_index);
    else
        raft_log_reset(&r->log, snapshot);
    raft_storage_rewrite_log(r);
    if (r->error == 0)
        raft_snapshot_restore(r, RAFT_RESTORED);
}

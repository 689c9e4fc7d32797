/* commitment.c - which entries are safe, and what is done with them then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"

static bool is_on_quorum(const struct raft *r, uint32_t index);
static void apply_next(struct raft *r);

/* An entry of an earlier term may be on most servers and still be replaced: by one of a later term
 * that is on another server, if that one is elected (figure 8 of the paper). So only entries of
 * this term are counted; those before them are safe with them. */
void raft_commitment_advance(struct raft *r)
{
    for (uint32_t index = raft_log_last_index(&r->log); index > r->commit_index; index--) {
        if (raft_log_term(&r->log, index) != r->term && !r->config.bugs.count_old_term)
            return;
        if (!is_on_quorum(r, index))
            continue;
        raft_commitment_reach(r, index);
        return;
    }
}

void raft_commitment_reach(struct raft *r, uint32_t index)
{
    if (r->error != 0 || index <= r->commit_index)
        return;
    r->commit_index = index;
    raft_observe(r, RAFT_COMMITTED, index);
    while (r->applied_index < r->commit_index && raft_log_has(&r->log, r->applied_index + 1))
        apply_next(r);
    raft_snapshot_take(r);
}

static bool is_on_quorum(const struct raft *r, uint32_t index)
{
    uint32_t holders = raft_bit(r->config.id);

    for (uint32_t server = 1; server <= RAFT_SERVERS_MAX; server++) {
        if (r->progress[server].match_index >= index)
            holders |= raft_bit(server);
    }
    return raft_membership_is_quorum(r, holders);
}

static void apply_next(struct raft *r)
{
    uint32_t index = ++r->applied_index;
    const struct raft_entry *entry = raft_log_at(&r->log, index);

    if (entry->kind == RAFT_COMMAND)
        raft_session_execute(r, index, entry);
    raft_observe(r, RAFT_APPLIED, index);
    raft_request_finish(r, index);
    if (entry->kind == RAFT_CONFIG)
        raft_membership_on_applied(r);
}

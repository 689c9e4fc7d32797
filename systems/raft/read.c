/* read.c - reads that see every write that was answered before.
 *
 * Reads are not in the log (section 6.4 of the thesis). The leader notes how far the log was
 * committed when a read came, makes sure by a round of heartbeats that it was still the leader
 * after that, and answers when its state machine has got so far. A new leader does not know how far
 * the log is committed, but not farther than the no-op that its own term begins with.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"

static bool is_confirmed(const struct raft *r, uint32_t round);

void raft_read_submit(struct raft *r, const struct raft_request *request)
{
    struct raft_waiting *waiting = raft_request_keep(r, request);

    if (waiting == NULL)
        return;
    waiting->index = r->commit_index;
    if (waiting->index < r->start_index && !r->config.bugs.early_read)
        waiting->index = r->start_index;
    waiting->round = r->round + 1;
    raft_replication_broadcast(r);
    raft_read_serve(r);
}

void raft_read_serve(struct raft *r)
{
    uint32_t i = 0;

    while (i < r->waiting_count) {
        const struct raft_waiting *waiting = &r->waiting[i];
        uint32_t result[RAFT_RESULT_WORDS] = {0};

        if (waiting->request.kind != RAFT_READ || r->applied_index < waiting->index ||
            (!is_confirmed(r, waiting->round) && !r->config.bugs.stale_read)) {
            i++;
            continue;
        }
        r->env->query(r->env_self, waiting->request.data, result);
        raft_request_drop(r, i, RAFT_DONE, result);
    }
}

static bool is_confirmed(const struct raft *r, uint32_t round)
{
    uint32_t loyal = raft_bit(r->config.id);

    for (uint32_t server = 1; server <= RAFT_SERVERS_MAX; server++) {
        if (r->progress[server].acked_round >= round)
            loyal |= raft_bit(server);
    }
    return raft_membership_is_quorum(r, loyal);
}

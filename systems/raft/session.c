/* session.c - commands are executed once, however often they are in the log.
 *
 * A client that hears nothing sends its command again, maybe to another leader, and both copies may
 * be committed. Sessions are changed by applied entries alone, so they are the same on all servers,
 * and they are part of every snapshot. The oldest session makes room for a new client.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"

static struct raft_session *place_for(struct raft *r, uint32_t client);

const struct raft_session *raft_session_find(const struct raft *r, uint32_t client)
{
    for (uint32_t i = 0; i < RAFT_SESSIONS_MAX; i++) {
        if (r->sessions[i].client == client)
            return &r->sessions[i];
    }
    return NULL;
}

void raft_session_execute(struct raft *r, uint32_t index, const struct raft_entry *entry)
{
    struct raft_session *session = place_for(r, entry->client);

    if (session->client == entry->client && entry->sequence <= session->sequence &&
        !r->config.bugs.double_apply)
        return;
    *session = (struct raft_session){
        .client = entry->client,
        .sequence = entry->sequence,
        .used_index = index,
    };
    r->env->apply(r->env_self, index, entry, session->result);
}

static struct raft_session *place_for(struct raft *r, uint32_t client)
{
    struct raft_session *oldest = &r->sessions[0];

    for (uint32_t i = 0; i < RAFT_SESSIONS_MAX; i++) {
        if (r->sessions[i].client == client)
            return &r->sessions[i];
        if (r->sessions[i].used_index < oldest->used_index)
            oldest = &r->sessions[i];
    }
    return oldest;
}

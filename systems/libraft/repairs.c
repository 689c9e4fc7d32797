/* repairs.c - keeps what is known to be wrong with the library from happening (--repaired 1).
 *
 * SPDX-License-Identifier: MIT
 */
#include "repairs.h"

#include "witness.h"

uint64_t is_repaired;

void repair_confirmation(struct raft_message *message, uint64_t shown_index)
{
    struct raft_append_entries_result *result = &message->append_entries_result;

    if (is_repaired == 0 || message->type != RAFT_IO_APPEND_ENTRIES_RESULT ||
        result->rejected != 0 || shown_index == 0)
        return;
    if (result->last_log_index > shown_index)
        result->last_log_index = shown_index;
}

void repair_entries(struct append_entries *append, const struct raft_log *log)
{
    uint64_t index = log->snapshot.last_index;

    if (is_repaired == 0 || append->prev_index >= index || append->prev_index + append->n < index)
        return;
    append->entries += index - append->prev_index;
    append->n -= index - append->prev_index;
    append->prev_index = index;
    append->prev_term = log->snapshot.last_term;
}

void repair_count(struct raft_append_entries_result *result, const struct raft *raft)
{
    if (is_repaired == 0 || raft->state != RAFT_LEADER || result->rejected != 0 ||
        log_term(&raft->log, result->last_log_index) >= raft->current_term)
        return;
    if (result->last_log_index > raft->commit_index)
        result->last_log_index = raft->commit_index;
}

bool repair_refuses(const struct raft *raft, const struct request *request)
{
    unsigned others = 0;

    if (is_repaired == 0 || request->ask < ASK_ADD)
        return false;
    if (raft->snapshot.threshold < INDEXES_MAX)
        return true;
    for (unsigned i = 0; i < raft->configuration.n; i++)
        others += raft->configuration.servers[i].role == RAFT_VOTER &&
                  raft->configuration.servers[i].id != request->key;
    return request->ask != ASK_ADD && others < 2;
}

bool repair_drops(const struct raft_message *message)
{
    return is_repaired != 0 && message->server_id == 0;
}

void repair_close(struct io *io)
{
    while (is_repaired != 0 && io->queue_count != 0)
        io_log_written(io);
}

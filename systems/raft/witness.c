/* witness.c - tells the monitors what a server lets an observer see.
 *
 * SPDX-License-Identifier: MIT
 */
#include "witness.h"

#include "events.h"
#include "machines.h"

static uint32_t digest_of(const struct registers *registers)
{
    return raft_hash(0, registers, sizeof(*registers) / sizeof(uint32_t));
}

static void tell_elected(const struct raft *raft)
{
    const struct raft_log *log = &raft->log;
    struct elected elected = {
        .server = raft->config.id,
        .term = raft->term,
        .base_index = log->base_index,
        .last_index = raft_log_last_index(log),
    };

    struct sn_leader leader = {.term = raft->term, .who = sn_self()};

    for (uint32_t i = 0; i < log->count; i++)
        elected.terms[i] = log->entries[i].term;
    sn_monitor(&sn_one_leader, &sn_became_leader, &leader);
    sn_monitor(&leader_completeness, &elected_event, &elected);
}

static void tell_appended(const struct raft *raft, uint32_t index)
{
    const struct raft_log *log = &raft->log;
    const struct raft_entry *entry = raft_log_at(log, index);
    struct appended appended = {
        .server = raft->config.id,
        .index = index,
        .term = entry->term,
        .prev_term = raft_log_term(log, index - 1),
        .digest = raft_hash(0, entry, sizeof(*entry) / sizeof(uint32_t)),
    };

    sn_monitor(&log_matching, &appended_event, &appended);
}

static void tell_committed(const struct raft *raft, uint32_t index)
{
    struct committed committed = {
        .server = raft->config.id,
        .server_term = raft->term,
        .index = index,
        .term = raft_log_term(&raft->log, index),
    };

    sn_monitor(&leader_completeness, &committed_event, &committed);
}

static void tell_applied(const struct raft *raft, const struct registers *registers, uint32_t index)
{
    struct applied applied = {
        .server = raft->config.id,
        .index = index,
        .term = raft_log_term(&raft->log, index),
        .digest = digest_of(registers),
    };

    sn_monitor(&state_machine_safety, &applied_event, &applied);
}

static void tell_restored(const struct raft *raft, const struct registers *registers,
                          uint32_t index, bool is_start)
{
    struct restored restored = {
        .server = raft->config.id,
        .index = index,
        .digest = digest_of(registers),
        .is_start = is_start,
    };

    sn_monitor(&state_machine_safety, &restored_event, &restored);
}

void witness(const struct raft *raft, const struct registers *registers, enum raft_moment moment,
             uint32_t index)
{
    switch (moment) {
    case RAFT_ELECTED:
        tell_elected(raft);
        break;
    case RAFT_APPENDED:
        tell_appended(raft, index);
        break;
    case RAFT_COMMITTED:
        tell_committed(raft, index);
        break;
    case RAFT_APPLIED:
        tell_applied(raft, registers, index);
        break;
    case RAFT_STARTED:
        tell_restored(raft, registers, index, true);
        break;
    case RAFT_RESTORED:
        tell_restored(raft, registers, index, false);
        break;
    }
}

/* witness.c - looks at a server of the library and tells the monitors what has changed.
 *
 * struct raft is public, and its log too: nothing here depends on how the library works.
 *
 * SPDX-License-Identifier: MIT
 */
#include "witness.h"

#include "wire.h"

#include <string.h>

static const char *const states[] = {"unavailable", "follower", "candidate", "leader"};

static uint64_t log_count(const struct raft_log *log)
{
    return log->back >= log->front ? log->back - log->front : log->size - log->front + log->back;
}

static uint64_t log_last_index(const struct raft_log *log)
{
    uint64_t count = log_count(log);

    if (count == 0 && log->snapshot.last_index != 0)
        return log->snapshot.last_index;
    return log->offset + count;
}

uint64_t log_term(const struct raft_log *log, uint64_t index)
{
    if (index > log->offset && index <= log->offset + log_count(log))
        return log->entries[(log->front + index - log->offset - 1) % log->size].term;
    return index == log->snapshot.last_index ? log->snapshot.last_term : 0;
}

/* The index of the last configuration that is on the disk of a server; 0: not known. */
static uint64_t stored_configuration(const struct io *io)
{
    uint64_t index = io->storage.last_index;

    if (index >= INDEXES_MAX)
        return 0;
    while (index != 0 && io->members[index].count == 0)
        index--;
    return index;
}

static void tell_elected(const struct raft *raft, const struct io *io)
{
    const struct raft_log *log = &raft->log;
    struct sn_leader leader = {.term = raft->current_term, .who = sn_self()};
    struct elected elected = {
        .server = (uint32_t)raft->id,
        .term = (uint32_t)raft->current_term,
        .base_index = (uint32_t)log->offset,
        .last_index = (uint32_t)(log->offset + log_count(log)),
    };

    struct won won = {
        .server = (uint32_t)raft->id,
        .term = raft->current_term,
        .index = (uint32_t)stored_configuration(io),
    };

    won.members = io->members[won.index];
    for (uint32_t i = 0; i < log_count(log) && i < ORACLE_LOG_MAX; i++)
        elected.terms[i] = (uint32_t)log_term(log, log->offset + 1 + i);
    sn_monitor(&sn_one_leader, &sn_became_leader, &leader);
    sn_monitor(&majorities, &won_event, &won);
    sn_monitor(&leader_completeness, &elected_event, &elected);
}

static void tell_committed(const struct raft *raft, uint64_t index)
{
    struct committed committed = {
        .server = (uint32_t)raft->id,
        .server_term = (uint32_t)raft->current_term,
        .index = (uint32_t)index,
        .term = (uint32_t)log_term(&raft->log, index),
    };

    sn_monitor(&leader_completeness, &committed_event, &committed);
}

static void tell_stored(const struct raft *raft, const struct storage *storage)
{
    uint64_t claimed = raft->last_stored;
    struct stored stored = {
        .server = (uint32_t)raft->id,
        .claimed = claimed,
        .claimed_term = log_term(&raft->log, claimed),
        .durable = storage->last_index,
    };

    if (claimed > storage->base_index && claimed < INDEXES_MAX)
        stored.durable_term = storage->terms[claimed];
    sn_monitor(&durability, &stored_event, &stored);
}

/* raft.h says of which entry the configuration of a server is. */
static void tell_configured(struct witness *witness, const struct raft *raft, const struct io *io)
{
    uint64_t uncommitted = raft->configuration_uncommitted_index;
    uint64_t index = uncommitted != 0 ? uncommitted : raft->configuration_index;
    struct configured configured = {.server = (uint32_t)raft->id, .index = (uint32_t)index};

    if (index == 0 || index >= INDEXES_MAX)
        return;
    wire_pack_members(&configured.members, &raft->configuration);
    configured.entry = io->members[index];
    if (memcmp(&configured, &witness->configured, sizeof(configured)) == 0)
        return;
    witness->configured = configured;
    sn_monitor(&configurations, &configured_event, &configured);
}

/* The order of what a server knows of its log. */
static void check_order(const struct raft *raft)
{
    uint64_t last = log_last_index(&raft->log);

    sn_assertf(raft->commit_index <= last,
               "server %llu has committed up to %llu, and its log ends at %llu", raft->id,
               raft->commit_index, (unsigned long long)last);
    sn_assertf(raft->last_applied <= raft->commit_index,
               "server %llu has applied up to %llu, and committed up to %llu", raft->id,
               raft->last_applied, raft->commit_index);
}

void witness_begin(struct witness *witness, const struct raft *raft)
{
    /* Servers start as followers; one that leads at once is looked at as any that is elected. */
    *witness = (struct witness){
        .term = raft->current_term,
        .commit_index = raft->commit_index,
        .last_stored = raft->last_stored,
        .state = RAFT_FOLLOWER,
    };
}

void witness_look(struct witness *witness, const struct raft *raft, const struct io *io)
{
    bool is_other = witness->term != raft->current_term || witness->state != raft->state;

    if (is_other && raft->state <= RAFT_LEADER)
        sn_note("is %s of term %llu", states[raft->state], raft->current_term);
    if (is_other && raft->state == RAFT_LEADER)
        tell_elected(raft, io);
    witness->term = raft->current_term;
    witness->state = raft->state;
    if (raft->state == RAFT_UNAVAILABLE)
        return;
    check_order(raft);
    tell_configured(witness, raft, io);
    if (witness->commit_index < raft->commit_index)
        sn_note("takes entries up to %llu for committed", raft->commit_index);
    for (; witness->commit_index < raft->commit_index; witness->commit_index++)
        tell_committed(raft, witness->commit_index + 1);
    if (witness->last_stored != raft->last_stored)
        tell_stored(raft, &io->storage);
    witness->last_stored = raft->last_stored;
}

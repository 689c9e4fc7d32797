/* log.c - the entries behind the snapshot, in memory. SPDX-License-Identifier: MIT */
#include "log.h"

#include <string.h>

static uint32_t place(const struct raft_log *log, uint32_t index)
{
    return index - log->base_index - 1;
}

void raft_log_reset(struct raft_log *log, const struct raft_snapshot *base)
{
    log->base_index = base->last_index;
    log->base_term = base->last_term;
    log->base_chain = base->last_chain;
    log->count = 0;
}

uint32_t raft_log_last_index(const struct raft_log *log)
{
    return log->base_index + log->count;
}

uint32_t raft_log_last_term(const struct raft_log *log)
{
    return raft_log_term(log, raft_log_last_index(log));
}

bool raft_log_has(const struct raft_log *log, uint32_t index)
{
    return index > log->base_index && index <= raft_log_last_index(log);
}

const struct raft_entry *raft_log_at(const struct raft_log *log, uint32_t index)
{
    assert(raft_log_has(log, index));
    return &log->entries[place(log, index)];
}

uint32_t raft_log_term(const struct raft_log *log, uint32_t index)
{
    if (raft_log_has(log, index))
        return log->entries[place(log, index)].term;
    return index == log->base_index ? log->base_term : 0;
}

uint32_t raft_log_chain(const struct raft_log *log, uint32_t index)
{
    if (raft_log_has(log, index))
        return log->chains[place(log, index)];
    return index == log->base_index ? log->base_chain : 0;
}

bool raft_log_append(struct raft_log *log, const struct raft_entry *entry)
{
    uint32_t before = raft_log_chain(log, raft_log_last_index(log));

    if (log->count == RAFT_LOG_MAX)
        return false;
    log->entries[log->count] = *entry;
    log->chains[log->count] = raft_hash(before, entry, sizeof(*entry) / sizeof(uint32_t));
    log->count++;
    return true;
}

void raft_log_truncate(struct raft_log *log, uint32_t index)
{
    if (raft_log_has(log, index))
        log->count = place(log, index);
}

void raft_log_compact(struct raft_log *log, uint32_t index)
{
    uint32_t gone = index - log->base_index;
    uint32_t term = raft_log_term(log, index);
    uint32_t chain = raft_log_chain(log, index);

    assert(gone <= log->count);
    memmove(log->entries, log->entries + gone, (log->count - gone) * sizeof(*log->entries));
    memmove(log->chains, log->chains + gone, (log->count - gone) * sizeof(*log->chains));
    log->base_index = index;
    log->base_term = term;
    log->base_chain = chain;
    log->count -= gone;
}

uint32_t raft_hash(uint32_t before, const void *words, size_t n)
{
    const unsigned char *bytes = words;
    uint32_t hash = before ^ UINT32_C(0x9e3779b9);

    for (size_t i = 0; i < n; i++) {
        uint32_t word;

        memcpy(&word, bytes + i * sizeof(word), sizeof(word));
        hash = (hash ^ word) * UINT32_C(0x85ebca6b);
        hash ^= hash >> 15;
    }
    return hash;
}

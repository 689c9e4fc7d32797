/* log.h - the entries behind the snapshot, in memory.
 *
 * Each entry has a chain value: a hash of itself and of the chain value before it, so of the log up
 * to it. On the disk it tells records that belong together from what a crash has mixed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RAFT_LOG_H
#define RAFT_LOG_H

#include "types.h"

#include <stdbool.h>
#include <stddef.h>

struct raft_log {
    uint32_t base_index; /* of the last entry that is in the snapshot instead */
    uint32_t base_term;
    uint32_t base_chain;
    uint32_t count;
    struct raft_entry entries[RAFT_LOG_MAX];
    uint32_t chains[RAFT_LOG_MAX];
};

/* Empties the log; what is appended next follows this base. */
void raft_log_reset(struct raft_log *log, const struct raft_snapshot *base);

/* Of the last entry; of the base if there is none. */
uint32_t raft_log_last_index(const struct raft_log *log);
uint32_t raft_log_last_term(const struct raft_log *log);

/* Whether an entry is there, and not in the snapshot. */
bool raft_log_has(const struct raft_log *log, uint32_t index);

/* An entry that is there. */
const struct raft_entry *raft_log_at(const struct raft_log *log, uint32_t index);

/* Of an entry that is there, or of the base; 0 for any other. */
uint32_t raft_log_term(const struct raft_log *log, uint32_t index);
uint32_t raft_log_chain(const struct raft_log *log, uint32_t index);

/* False if the log is full. */
bool raft_log_append(struct raft_log *log, const struct raft_entry *entry);

/* Drops an entry and all behind it. Nothing happens if it is not there. */
void raft_log_truncate(struct raft_log *log, uint32_t index);

/* Drops an entry and all before it, which makes it the base. It must be there, or be the base. */
void raft_log_compact(struct raft_log *log, uint32_t index);

/* A hash of n words that follow what has this hash. */
uint32_t raft_hash(uint32_t before, const void *words, size_t n);

#endif

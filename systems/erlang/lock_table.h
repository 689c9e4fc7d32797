/* lock_table.h - who has which lock and who waits for it: the state of a lock server.
 *
 * Each lock that somebody wants has a queue, whose head holds it, and a version, which grows with
 * every change: whoever is told of a queue knows by it what is newer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ERLANG_LOCK_TABLE_H
#define ERLANG_LOCK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LOCKS = 3,
    LOCK_AGENTS = 3,
};

/* A queue. Nobody has a number of 0. */
struct lock_entry {
    uint32_t lock;
    uint32_t version;
    uint32_t count; /* 0: nobody wants it, and there is no entry */
    uint32_t queue[LOCK_AGENTS];
};

struct lock_table {
    struct lock_entry entries[LOCKS];
    uint32_t version;      /* of the whole server */
    bool forgets_versions; /* each lock has versions of its own, which go with its entry */
};

void lock_table_init(struct lock_table *table, bool forgets_versions);

/* An agent waits for a lock, at the end of its queue unless it is in it. */
void lock_table_request(struct lock_table *table, uint32_t lock, uint32_t agent);

/* An agent goes to the end of a queue. */
void lock_table_surrender(struct lock_table *table, uint32_t lock, uint32_t agent);

/* An agent does not want a lock any more. False: it did not. */
bool lock_table_remove(struct lock_table *table, uint32_t lock, uint32_t agent);

/* The place of an agent in a queue; its count if it is not there. */
uint32_t lock_entry_place(const struct lock_entry *entry, uint32_t agent);

#endif

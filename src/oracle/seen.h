/* seen.h - what a monitor has been told, as a growing list in the trial's memory.
 *
 * Monitors keep few entries, so a list that is searched from its end is enough.
 * SPDX-License-Identifier: MIT
 */
#ifndef ORACLE_SEEN_H
#define ORACLE_SEEN_H

#include <sennit/machine.h>

struct seen_entry {
    uint64_t key[2];
    uint64_t value;
    sn_id who;
};

/* Zeroed is an empty one. */
struct seen {
    struct seen_entry *entries;
    uint32_t n;
    uint32_t room;
};

/* The entry of a key; NULL if there is none. */
struct seen_entry *seen_find(const struct seen *seen, uint64_t first, uint64_t second);

void seen_add(struct seen *seen, struct seen_entry entry);

#endif

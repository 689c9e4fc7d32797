/* lww_set.h - a replicated set in which the last writer wins.
 *
 * For each item that was ever added or removed a replica keeps when that was done last, and which
 * of the two it was. To merge two replicas is to keep the later of what they say of each item.
 * Where both say something of the same moment, both must prefer the same: here the removal.
 *
 * Updates have the time of day, in milliseconds, but are always later than everything that their
 * replica knows, so that whoever has seen something can change it even if his clock is behind.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_LWW_SET_H
#define RDL_LWW_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lww_set_config {
    uint64_t (*now_ms)(void *clock); /* NULL means the time of day */
    void *clock;

    /* Wrong: of two updates of the same moment the one that arrives later wins. */
    bool lets_arrival_break_ties;
};

struct lww_set_entry {
    char *item;
    uint64_t stamp_ms;
    bool is_present;
};

/* A replica. To be treated as opaque; here so that it can be embedded. */
struct lww_set {
    struct lww_set_config config;
    struct lww_set_entry *entries; /* by item */
    size_t count;
    size_t capacity;
    uint64_t latest_ms; /* of all stamps that were ever seen */
};

/* All that a replica knew when the message was made. */
struct lww_set_message;

void lww_set_init(struct lww_set *set, const struct lww_set_config *config);
void lww_set_done(struct lww_set *set);

void lww_set_add(struct lww_set *set, const char *item);
void lww_set_remove(struct lww_set *set, const char *item);

bool lww_set_has(const struct lww_set *set, const char *item);

/* How many items are in the set. */
size_t lww_set_count(const struct lww_set *set);

/* Returns a message for another replica, to be freed with lww_set_message_free. */
struct lww_set_message *lww_set_make(const struct lww_set *set);
void lww_set_message_free(struct lww_set_message *message);

/* Merges what the message says. NULL: does nothing. */
void lww_set_apply(struct lww_set *set, const struct lww_set_message *message);

/* Writes the items as a sorted array, as snprintf does: returns the length of the whole. */
size_t lww_set_print(const struct lww_set *set, char *out, size_t size);

#endif

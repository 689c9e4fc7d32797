/* op_log.h - a replicated log of operations, in one order for all.
 *
 * A replica is a device of a writer; a writer may have several. Each entry has the time of a
 * Lamport clock: one more than all that its device knew, so that an entry comes after those that it
 * may be an answer to. Entries are ordered by clock, then by writer, then by device. To merge two
 * replicas is to take all their entries, each once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_OP_LOG_H
#define RDL_OP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A clock cannot be set to more, so that it never comes to its end by counting. */
#define OP_LOG_CLOCK_MAX (UINT64_C(1) << 62)

struct op_log_config {
    uint32_t writer;
    uint32_t device; /* no other replica, of any writer, has the same */

    /* Wrong: entries with the same clock and writer stay in the order in which they came. */
    bool ignores_devices;
    /* Wrong: a clock stands still at 2^53, as a number of JavaScript does. */
    bool clock_saturates;
};

struct op_log_entry {
    char *text;
    uint64_t clock;
    uint32_t writer;
    uint32_t device;
    uint32_t number; /* of the entries of the device, from 1: with it, what the entry is known by */
};

/* A replica. To be treated as opaque; here so that it can be embedded. */
struct op_log {
    struct op_log_config config;
    struct op_log_entry *entries; /* in order */
    size_t count;
    size_t capacity;
    uint64_t clock;  /* the largest that is known */
    uint32_t number; /* of its own last entry */
};

/* One entry, or all that a replica had when the message was made. */
struct op_log_message;

void op_log_init(struct op_log *log, const struct op_log_config *config);
void op_log_done(struct op_log *log);

/* Returns a message with the new entry, to be freed with op_log_message_free. */
struct op_log_message *op_log_append(struct op_log *log, const char *text);

/* Puts the clock forward: the next entry has at least clock + 1. False, and nothing is done, if it
 * is there already or clock is more than OP_LOG_CLOCK_MAX. */
bool op_log_set_clock(struct op_log *log, uint64_t clock);

size_t op_log_length(const struct op_log *log);

/* The text at this place, owned by the log; NULL: there is none. */
const char *op_log_at(const struct op_log *log, size_t index);

/* Returns a message with all entries, to be freed with op_log_message_free. */
struct op_log_message *op_log_make(const struct op_log *log);
void op_log_message_free(struct op_log_message *message);

/* Take in what a message says: the state of a replica, or one update. NULL: they do nothing. */
void op_log_apply(struct op_log *log, const struct op_log_message *message);
void op_log_deliver(struct op_log *log, const struct op_log_message *message);

/* Writes the texts as an array in order, as snprintf does: returns the length of the whole. */
size_t op_log_print(const struct op_log *log, char *out, size_t size);

#endif

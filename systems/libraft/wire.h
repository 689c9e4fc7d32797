/* wire.h - messages, entries and snapshots of the library as bytes without pointers, and back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_WIRE_H
#define LIBRAFT_WIRE_H

#include "events.h"

/* The address of server n is its number in words. */
const char *wire_address(uint64_t id);

/* Sends a message to the machine of its addressee. Keeps nothing of it. */
void wire_send(sn_id to, const struct raft_message *message);

/* The types of events that are messages between servers, by the library's types. */
extern const struct sn_event *const wire_events[RAFT_IO_TIMEOUT_NOW + 1];

/* Makes a message of what was sent. What it points to is the receiver's, who frees it with
 * raft_free. */
void wire_receive(struct raft_message *message, unsigned short type, uint32_t from,
                  const void *payload);

/* Entries for the library, in one batch; NULL if there are none. */
struct raft_entry *wire_unpack_entries(const struct packed_entry *packed, size_t n);

/* A configuration, from the library and for it. */
void wire_pack_members(struct packed_members *packed,
                       const struct raft_configuration *configuration);
void wire_unpack_members(struct raft_configuration *configuration,
                         const struct packed_members *packed);

/* A configuration as it is in an entry of type RAFT_CHANGE: what raft_configuration_encode says. */
void wire_read_members(struct packed_members *packed, const void *data, size_t length);

void wire_pack_snapshot(struct packed_snapshot *packed, const struct raft_snapshot *snapshot);

/* A snapshot for the library, to be freed by it. */
struct raft_snapshot *wire_unpack_snapshot(const struct packed_snapshot *packed);

/* A hash of what an entry says. */
uint64_t wire_digest(const struct raft_entry *entry);

#endif

/* group.h - a leader and its followers, chosen by what a failure detector says.
 *
 * Every node takes the lowest number that it believes to be alive for the leader, and joins it. The
 * leader keeps a list of who has joined, in memory: after a restart the list is empty, and all must
 * join anew. They know by the leader's incarnation.
 *
 * A member that the leader suspects stays on the list. It may be alive and may not have noticed
 * anything, so it would not come back by itself: lists and detectors of two nodes need not agree.
 * Members in service are those on the list that are not suspected.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAILURE_DETECTOR_GROUP_H
#define FAILURE_DETECTOR_GROUP_H

#include "protocol.h"

struct group_config {
    uint32_t node; /* its own number */
    uint32_t node_count;
    uint32_t incarnation;

    /* Wrong: a member that is suspected is struck off. */
    bool drop_suspected_members;
};

struct group_io {
    void (*send)(void *self, uint32_t to, const struct fd_message *message); /* required */
};

/* To be treated as opaque; here so that it can be embedded. */
struct group {
    struct group_config config;
    const struct group_io *io;
    void *io_self;
    uint32_t alive[FD_NODES_MAX + 1];   /* incarnation of each trusted node; 0: not trusted */
    uint32_t members[FD_NODES_MAX + 1]; /* incarnation in which each has joined here; 0: not */
    uint32_t leader;
    uint32_t joined_incarnation; /* of the leader, as it was joined; 0: not joined */
};

/* Starts a group of one: nobody else is known to be alive. Keeps io and io_self. */
void group_init(struct group *g, const struct group_config *config, const struct group_io *io,
                void *io_self);

/* The detector's opinion has changed. */
void group_on_trust(struct group *g, uint32_t node, uint32_t incarnation);
void group_on_suspect(struct group *g, uint32_t node);

/* Takes FD_JOIN and FD_JOINED, and ignores the rest. */
void group_on_message(struct group *g, const struct fd_message *message);

/* Now and then: asks again to join if there was no answer. */
void group_on_tick(struct group *g);

/* Whether the node is on this node's list, in that incarnation. */
bool group_has_member(const struct group *g, uint32_t node, uint32_t incarnation);

#endif

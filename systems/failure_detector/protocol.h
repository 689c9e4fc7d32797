/* protocol.h - what the nodes of a group say to each other.
 *
 * Nodes are numbered from 1. Each life of a node has an incarnation number, higher than those of
 * its earlier lives. The network may lose, double, delay and reorder messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAILURE_DETECTOR_PROTOCOL_H
#define FAILURE_DETECTOR_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FD_NODES_MAX = 16 };

enum fd_kind {
    FD_PING = 1, /* are you there? */
    FD_PONG,     /* I am; round is that of the ping */
    FD_JOIN,     /* you lead: count me in; round is the leader's incarnation */
    FD_JOINED,   /* you are counted in; round is the joining node's incarnation */
};

struct fd_message {
    uint32_t kind;        /* enum fd_kind */
    uint32_t from;        /* a node */
    uint32_t incarnation; /* of that node */
    uint32_t round;
};

#endif

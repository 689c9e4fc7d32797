/* link.h - one end of a connection between neighbours in the chain.
 *
 * Chain replication assumes links that lose, double and reorder nothing. This makes one, for as
 * long as an epoch lasts, from a network that does all of that: notes are numbered, taken in order,
 * acknowledged, and repeated until they are. What is under way when the epoch ends is lost.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CHAIN_REPLICATION_LINK_H
#define CHAIN_REPLICATION_LINK_H

#include "protocol.h"

enum {
    /* That wait for their receipt. In one epoch a server sends to each neighbour at most one note
     * per update, and one more. */
    LINK_NOTES_MAX = CHAIN_UPDATES_MAX + 1,
};

/* To be treated as opaque; here so that it can be embedded. A zeroed link is closed. */
struct link {
    uint32_t self;
    uint32_t peer; /* 0: closed */
    uint32_t epoch;
    uint32_t sent;                           /* number of the last note sent */
    uint32_t receipts;                       /* the notes up to this number were acknowledged */
    uint32_t taken;                          /* number of the last note taken */
    struct chain_note notes[LINK_NOTES_MAX]; /* sent, by number modulo the size */
    void (*send)(void *io_self, uint32_t to, const struct chain_segment *segment);
    void *io_self;
};

/* Opens a link from server `self` to server `peer`, or opens it anew for another epoch. */
void link_open(struct link *link, uint32_t self, uint32_t peer, uint32_t epoch);
void link_close(struct link *link);

/* Sends a note. False: too many wait for their receipt, and this one was not sent. */
bool link_send(struct link *link, const struct chain_note *note);

/* A segment came in. True: it brought the next note, which must be handled now. */
bool link_on_segment(struct link *link, const struct chain_segment *segment);

/* Time has passed: repeats what was not acknowledged. */
void link_on_tick(struct link *link);

#endif

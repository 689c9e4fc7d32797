/* past.h - what earlier leaders have left on the disks of servers: logs that differ, and a
 * snapshot.
 *
 * It takes several elections, each cut short, until logs differ as in figure 7 of the Raft paper,
 * and what then goes wrong takes several more. Here trials begin in the middle: with what a few
 * leaders have left that wrote something and got it to nobody, to one other server or to all but
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef LIBRAFT_PAST_H
#define LIBRAFT_PAST_H

#include <stdint.h>

enum {
    PAST_SERVERS = 5,
    PAST_LEADERS = 4, /* at most */
    PAST_ENTRIES = 2, /* of each of them, at most */
    PAST_MAX = PAST_LEADERS * PAST_ENTRIES,
    PAST_FIRST_TERM = 2, /* with a leader: the configuration is of term 1 ... */
    PAST_FIRST = 2,      /* and entry 1 */
    PAST_SNAPSHOT = 1,   /* so many entries a snapshot has at least, besides that */
};

/* What a leader has done. */
struct past_leader {
    uint32_t id;
    uint32_t term;
    uint32_t written;                  /* so many entries */
    uint32_t count;                    /* of others that got all that it had: 0, 1 or 3 */
    uint32_t others[PAST_SERVERS - 2]; /* who they are */
    /* The last one of three had so many entries, and was writing the rest, when it heard from the
     * leader that all were committed, and took a snapshot of what it had; 0: it did not. */
    uint32_t snapshot;
};

/* What is on the disk of a server behind the configuration that it has begun with. */
struct past {
    uint32_t term; /* 0: nothing has happened */
    uint32_t vote;
    uint32_t count;           /* of entries, which are barriers */
    uint32_t terms[PAST_MAX]; /* of the entries */
    uint32_t committed;       /* so many of them were when it led the term of the last of these */
    uint32_t snapshot;        /* so many of them are in a snapshot; 0: there is none */
};

/* Draws what has happened, once a trial; if that is not called, nothing has. Returns how many
 * leaders there were. */
uint32_t past_draw(void);

/* What the n-th leader did, and what is left on the disk of a server. */
const struct past_leader *past_leader(uint32_t n);
const struct past *past_of(uint32_t id);

#endif

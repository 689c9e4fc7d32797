/* detector.h - which nodes of a group are alive, as far as one of them can tell.
 *
 * In rounds a node pings all others and waits for their answers, at most for a timeout. Who has not
 * answered in several rounds in a row is suspected; who answers in time is trusted again. An answer
 * that comes too late shows that the timeout is too short, and makes it longer. Once the network
 * behaves, every node that has crashed is suspected for good, and no other is: the detector is
 * eventually perfect (T. D. Chandra, S. Toueg: Unreliable Failure Detectors for Reliable
 * Distributed Systems, J. ACM 43(2), 1996).
 *
 * A node that crashes and is back before anybody misses it is noticed too: by its incarnation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAILURE_DETECTOR_DETECTOR_H
#define FAILURE_DETECTOR_DETECTOR_H

#include "protocol.h"

enum fd_timer {
    FD_TIMER_PAUSE,   /* until the next round */
    FD_TIMER_ANSWERS, /* how long a round waits */
};

/* What the detector needs of the world. All entries are required. */
struct fd_io {
    void (*send)(void *self, uint32_t to, const struct fd_message *message);

    /* Calls fd_on_timer once after about delay_ms. */
    void (*start_timer)(void *self, enum fd_timer timer, uint32_t delay_ms);

    /* Takes back the timer of this name that was started last, if it has not fired. */
    void (*cancel_timer)(void *self, enum fd_timer timer);

    /* A node is believed to be alive, in this incarnation; called again when that has changed. */
    void (*trust)(void *self, uint32_t node, uint32_t incarnation);

    /* A node is believed to have crashed. */
    void (*suspect)(void *self, uint32_t node);
};

struct fd_config {
    uint32_t node; /* its own number */
    uint32_t node_count;
    uint32_t incarnation;
    uint32_t pause_ms;     /* between rounds */
    uint32_t timeout_ms;   /* at first; and by how much it grows */
    uint32_t misses_limit; /* rounds without an answer until a node is suspected */

    /* Wrong: any answer counts for the round that is on. */
    bool accept_late_answers;

    /* Wrong: a round that is complete does not take back its timer, which will end a later one. */
    bool keep_timer;
};

struct fd_peer {
    uint32_t incarnation; /* last heard of; 0: never */
    uint32_t misses;      /* rounds in a row without an answer */
    bool is_suspected;
    bool has_answered; /* in this round */
};

/* To be treated as opaque; here so that it can be embedded. */
struct fd_detector {
    struct fd_config config;
    const struct fd_io *io;
    void *io_self;
    struct fd_peer peers[FD_NODES_MAX + 1]; /* by number */
    uint32_t round;
    uint32_t timeout_ms;
    bool is_asking; /* a round is on */
};

/* Starts a detector, and its first round. Keeps io and io_self. */
void fd_init(struct fd_detector *d, const struct fd_config *config, const struct fd_io *io,
             void *io_self);

/* Takes FD_PING and FD_PONG, and ignores the rest. */
void fd_on_message(struct fd_detector *d, const struct fd_message *message);
void fd_on_timer(struct fd_detector *d, enum fd_timer timer);

#endif

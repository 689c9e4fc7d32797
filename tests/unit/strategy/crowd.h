/* crowd.h - small programs of machines that exchange messages, with known numbers of partial
 * orders, and the receive-revisit search on them with its state in reach.
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_STRATEGY_CROWD_H
#define UNIT_STRATEGY_CROWD_H

#include "strategy/revisit.h"

#include <sennit/sennit.h>

enum { CROWD_TRIALS_MAX = 1 << 16 };

/* What the next test is made of; the test refers to it. */
struct crowd {
    enum {
        CROWD_INBOX,        /* n messages to one machine, in no order: n! */
        CROWD_SENDERS,      /* n machines send `each` to one: (n each)! / each!^n */
        CROWD_BROADCAST,    /* n machines send to each of `each`: (n!)^each */
        CROWD_GATHER,       /* n machines are asked, and reply to one: n! */
        CROWD_LATE,         /* the same, but it comes first wherever several can receive */
        CROWD_DETOUR,       /* three replies, of which one is asked for by a detour: 6 */
        CROWD_DRAWS,        /* as CROWD_INBOX, but a value is drawn if the last one comes first */
        CROWD_PAIRS,        /* n chains of `each` messages that never meet: 1 */
        CROWD_TIMER,        /* n clients whose timer is cancelled by a reply of n servers: 2^n */
        CROWD_TIMER_SHARED, /* ... of one server: n! 2^n */
    } kind;
    int n;
    int each;
};

/* The test of a crowd; valid until the next call. */
const struct sn_test *crowd_test(const struct crowd *crowd);

/* Makes the strategy `crowd` known, which is the receive-revisit search with this state. */
void crowd_register(void);
struct revisit *crowd_state(void);

/* A state of its own; the mapping is not released. */
struct revisit *crowd_state_new(void);

/* Before trial n, from 0, the state is saved and loaded again; UINT64_MAX: it is not. */
void crowd_reload_before(uint64_t n);

/* The search is one that may leave a test to another one. */
void crowd_falls_back(bool falls_back);

/* Each trial of the next run is a descent; 0: it is not. */
void crowd_descent(uint64_t seed);

/* Before trial n half of the search is given away, and run when the rest is done. */
void crowd_split_before(uint64_t n);

/* The next run begins with a state that these bytes are loaded into. */
void crowd_begin_with(const unsigned char *bytes, size_t n);

/* The orders of the trials of a run. */
struct crowd_run {
    uint64_t n;
    uint64_t orders[CROWD_TRIALS_MAX];
    struct sn_result result;
};

/* Runs at most so many trials of a test. The state is a new one. */
void crowd_run(const struct crowd *crowd, uint64_t n_trials, struct crowd_run *run);

#endif

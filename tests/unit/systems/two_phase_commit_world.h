/* two_phase_commit_world.h - a site of a two-phase commit alone, in a world made by hand.
 *
 * Its network remembers what was sent, its timers only count, and its disk keeps what was synced
 * when `crash` is called. The n-th disk operation from now on can be made to fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_TWO_PHASE_COMMIT_WORLD_H
#define TESTS_TWO_PHASE_COMMIT_WORLD_H

#include "coordinator.h"
#include "participant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    PARTICIPANTS = 3,
    SENT_MAX = 64,
    DECISIONS_MAX = 32,
    LOG_MAX = 2048,
    NEVER = -1,
};

struct sent {
    uint32_t to;
    struct tpc_message message;
};

struct decision {
    uint32_t transaction;
    uint32_t outcome;
};

struct world {
    struct coordinator coordinator;
    struct participant participant; /* site 1 */
    struct coordinator_config coordinator_config;
    struct participant_config participant_config;

    struct sent sent[SENT_MAX];
    size_t sent_count;
    struct decision decisions[DECISIONS_MAX];
    size_t decision_count;
    unsigned timers_started;

    unsigned char log[LOG_MAX];
    size_t log_size;
    size_t log_synced;
    int disk_errors_after; /* operations that succeed before one fails; NEVER: none fails */
};

extern const struct tpc_io world_io;

/* A fixture: *state is a world with an empty disk and neither role started. */
int set_up(void **state);

#define IN_WORLD(claim_) cmocka_unit_test_setup(claim_, set_up)

/* Starts a role, again after the first time: what was not synced is lost, and what was sent and
 * decided so far is forgotten. */
void start_coordinator(struct world *world);
void start_participant(struct world *world);

/* Forgets what was sent. */
void clear_sent(struct world *world);

/* How many messages of this kind were sent for a transaction to a site. */
size_t count_sent(const struct world *world, uint32_t to, uint32_t kind, uint32_t transaction);

/* The outcome decided last for a transaction; 0 if none was. */
uint32_t outcome_of(const struct world *world, uint32_t transaction);

uint32_t begin(struct world *world, uint32_t key);
void tell_coordinator(struct world *world, uint32_t from, uint32_t kind, uint32_t transaction);
void tell_participant(struct world *world, uint32_t from, uint32_t kind, uint32_t transaction);

#endif

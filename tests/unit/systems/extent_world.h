/* extent_world.h - a world made by hand for the tests of the extent manager.
 *
 * Its network remembers, its timers only count, its clock stands still, and memory runs out on
 * demand. The program is to be linked with --wrap=reallocarray.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_EXTENT_WORLD_H
#define TESTS_EXTENT_WORLD_H

#include "extent_manager.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    SENT_MAX = 16,
    EXPIRY_MS = 100,
    RETRY_MS = 50,
    EXTENT = 700,
    ALL_SUCCEED = -1,
};

struct world {
    struct extent_manager em;
    struct em_repair sent[SENT_MAX];
    size_t sent_count;
    unsigned timers_started[2];
    uint64_t clock_ms;
};

extern const struct extent_io world_io;

/* How many allocations succeed before one fails; those after it succeed again. */
extern int allocations_left;

void world_init(struct world *world, bool accept_reports_of_unknown_nodes);

/* Fixtures: *state is a world, whose manager in the second one accepts reports of unknown nodes. */
int set_up(void **state);
int set_up_accepting(void **state);
int tear_down(void **state);

void heartbeat(struct world *world, uint64_t node);

/* The node holds the extent, and says so. */
void report(struct world *world, uint64_t node);

/* Both. */
void join_with_replica(struct world *world, uint64_t node);

void repair_tick(struct world *world);

/* Lets time pass, then runs the expiration loop once. */
void pass_ms(struct world *world, uint64_t ms);

#define IN_WORLD(claim_) cmocka_unit_test_setup_teardown(claim_, set_up, tear_down)
#define ACCEPTING(claim_) cmocka_unit_test_setup_teardown(claim_, set_up_accepting, tear_down)

#endif

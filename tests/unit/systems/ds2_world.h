/* ds2_world.h - the agents of one of DS2's objects, with a network that a test empties by hand.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DS2_WORLD_H
#define TESTS_DS2_WORLD_H

#include "object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PENDING_MAX = 256, STATE_MAX = 1 << 14 };

#define UNANSWERED (INT64_MIN + 1)

struct pending {
    uint32_t to;
    struct ds2_log_message message;
};

struct agent_memory {
    _Alignas(16) unsigned char bytes[STATE_MAX];
};

struct world {
    const struct ds2_object *object;
    struct agent_memory agents[DS2_AGENTS_MAX + 1];
    struct pending pending[PENDING_MAX];
    size_t n_pending;
    int64_t answers[DS2_CLIENTS_MAX + 1]; /* by client, the first one; UNANSWERED */
    unsigned answer_count;
};

/* A fixture: *state is an empty world. */
int set_up(void **state);
int tear_down(void **state);

#define IN_WORLD(claim_) cmocka_unit_test_setup_teardown(claim_, set_up, tear_down)

/* Makes the agents of an object. Like `start`, those with the defects of the published program, and
 * those with the bug for demonstration. */
void start(struct world *world, const struct ds2_object *object, uint32_t agents);
void start_as_published(struct world *world, const struct ds2_object *object, uint32_t agents);
void start_with_bug(struct world *world, const struct ds2_object *object, uint32_t agents);

/* A client's operation, or a timeout, reaches an agent at once. */
void read_at(struct world *world, uint32_t client, uint32_t agent, int64_t key);
void write_at(struct world *world, uint32_t client, uint32_t agent, int64_t key, int64_t value);
void wake(struct world *world, uint32_t agent);

/* How many messages of a kind are on their way to an agent. */
size_t count(const struct world *world, uint32_t kind, uint32_t to);

/* The oldest message of a kind on its way to an agent arrives; the test fails if there is none. */
void deliver(struct world *world, uint32_t kind, uint32_t to);

/* It is taken away instead. */
struct ds2_log_message take(struct world *world, uint32_t kind, uint32_t to);

/* A message made up, or taken before, arrives. */
void hand(struct world *world, uint32_t to, const struct ds2_log_message *message);

/* Everything arrives, in the order sent, and what is sent meanwhile. */
void deliver_all(struct world *world);

#endif

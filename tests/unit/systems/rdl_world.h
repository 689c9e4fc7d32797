/* rdl_world.h - small random programs on a replicated data library, in all orders.
 *
 * A program is a handful of events on two or three replicas: updates, messages made of a replica's
 * state, and arrivals of messages, those of updates included. All orders of it are tried in which
 * what a replica does itself stays as it is, and a message arrives after it was made.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_SYSTEMS_RDL_WORLD_H
#define UNIT_SYSTEMS_RDL_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bug { BUG_NONE, BUG_TIE, BUG_IDENTITY, BUG_CLOCK, BUG_UNSEEN, BUG_ANCHOR };

/* A library: its functions, without their types. A message is NULL where there is none. */
struct library {
    size_t size; /* of a replica */
    enum bug bug;
    bool sends_updates; /* update returns messages */
    void (*init)(void *replica, uint32_t number, enum bug bug);
    void (*done)(void *replica);
    void *(*update)(void *replica, uint32_t choice); /* one of UPDATES; returns its message */
    void *(*make)(const void *replica);
    void (*apply)(void *replica, const void *message);
    void (*message_free)(void *message);
    size_t (*print)(const void *replica, char *out, size_t size);
};

enum { UPDATES = 24 };

/* Those of systems/rdl without bugs, and those whose bugs make replicas differ. */
extern const struct library lww_set_library;
extern const struct library lww_set_tie_library;
extern const struct library op_log_library;
extern const struct library op_log_identity_library;
extern const struct library op_log_clock_library;
extern const struct library or_set_library;
extern const struct library or_set_unseen_library;
extern const struct library rga_library;
extern const struct library rga_anchor_library;
extern const struct library todo_library;

/* Whether, in all orders of this many programs,
 * - replicas that know of the same updates always look the same,
 * - all look the same once each has had the states of all, and
 * - then no message of the program, a second time, changes anything.
 * Prints how many there were, or the first in which this is not so. */
bool world_converges(const struct library *library, uint32_t programs);

#endif

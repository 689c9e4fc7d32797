/* tests.h - what the tests of the suite run, and the switches of --bug and of its options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RDL_TESTS_H
#define RDL_TESTS_H

#include <sennit/events.h>
#include <stdbool.h>

extern bool bug_tie;
extern bool bug_identity;
extern bool bug_clock;
extern bool bug_unseen;
extern bool bug_move;
extern bool bug_anchor;
extern bool bug_sequential;
extern bool bug_append;
extern bool bug_raw;
extern bool bug_uncoordinated;

void set_run(void);
void removal_run(void);
void log_run(void);
void clock_run(void);
void todo_run(void);
void list_run(void);
void move_run(void);
void anchor_run(void);
void gossip_run(void);
void town_run(void);

/* Begins a segment whose events are ordered and pruned as the options say. Expect is made of enum
 * sn_expectation. `before` is a constraint that holds unless any order is tried; NULL: there is
 * none. */
void begin_events(uint32_t expect, const char *before);

#endif

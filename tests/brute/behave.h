/* behave.h - what the machines of a program do, and the tables that make them machines.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_BEHAVE_H
#define BRUTE_BEHAVE_H

#include "interpret.h"

/* What a trial has beside its machines. */
struct board {
    sn_id roots[ROOTS_MAX]; /* fixed before the first step */
    uint32_t n_roots;
    uint32_t n_observations;
};

struct message {
    struct board *board;
    uint64_t stamp;
    sn_id from;
    sn_id carried;
    uint8_t event;
    uint8_t value;
    uint8_t life;
    uint8_t type;    /* of a start: the machine's */
    uint8_t monitor; /* of a call of a monitor: its number */
    uint8_t zero[3]; /* instead of padding: what is sent is compared byte by byte */
};

enum { REST_MAX = 700 };

/* What is sent: some types of event are large, so that all kinds of memory for payloads are met. */
struct envelope {
    struct message message;
    uint8_t rest[REST_MAX]; /* as many as the event's size says, each the low byte of the stamp */
};

/* A machine's own memory. */
struct body {
    struct board *board;
    uint64_t birth;      /* stamp */
    uint64_t stamp;      /* of the operation being performed */
    uint32_t n_children; /* announced by it so far, but for exit actions */
    uint32_t n_left;     /* announced by exit actions */
    sn_id self;
    sn_id parent;
    sn_id child;
    sn_timer timers[2];       /* started last and first */
    uint64_t timer_stamps[2]; /* of their messages, which tell timers apart in every schedule */
    uint8_t type;
    struct locals locals;
};

/* What is left in a machine if its memory is elsewhere: gone with a crash, as it should be. */
struct mark {
    bool is_born;
};

struct monitor_body {
    uint8_t count;
    uint8_t acc;
};

enum { ENTRIES_MAX = EVENTS_ALL + 1 }; /* of one state, with the end */

struct tables {
    struct sn_machine types[TYPES_MAX];
    struct sn_state states[TYPES_MAX][STATES_MAX];
    struct sn_on on[TYPES_MAX][STATES_MAX][ENTRIES_MAX];
    struct sn_machine monitors[MONITORS_MAX];
    struct sn_state monitor_states[MONITORS_MAX][2];
    struct sn_on monitor_on[MONITORS_MAX][2][EVENTS + 1];
    const struct sn_machine *monitor_list[MONITORS_MAX + 1];
    struct sn_faults faults;
};

/* What is being run. Set before a run and not changed by it. */
struct interpretation {
    const struct program *program;
    struct tables *tables;
    struct record *record;
    bool has_globals; /* the state of the machines lies in globals and on the heap */
};

extern struct interpretation interpretation;

/* The handlers of a state, by its number. */
extern sn_handler *const behave_entry[STATES_MAX];
extern void (*const behave_exit[STATES_MAX])(void *self);
extern sn_handler *const behave_run[STATES_MAX];

/* Of machines and monitors whose memory is their own. */
uint64_t behave_fingerprint(const void *self);
uint64_t behave_watch_fingerprint(const void *self);

/* Of a monitor's states. */
extern sn_handler *const behave_watch[2];

/* The run function of the test. */
void behave_test(void);

#endif

/* program.h - a small program of machines as data, to be carried out in two independent ways.
 *
 * The generator makes such programs at random. The interpretation (interpret.c) carries them out as
 * machines of the library, through its public headers; the enumerator (enumerate.c) carries them
 * out by plain recursion over copies of everything. What one action of a machine computes is
 * defined here and shared; everything that the library is responsible for is not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_PROGRAM_H
#define BRUTE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TYPES_MAX = 6,
    STATES_MAX = 3,
    ROOTS_MAX = 4,    /* machines that the test creates */
    MACHINES_MAX = 8, /* in a trial, counted from 1; 0 is the test */
    MONITORS_MAX = 2,
    SCRIPT_MAX = 4,
    RUN_MAX = 12,
    STEPS_MAX = 16,
    DRAWS_MAX = 14,  /* in one step */
    LEFT_MAX = 2,    /* operations that the exit actions of a machine announce */
    LINKS_MAX = 2,   /* whose order the test sets */
    BRUTE_NODES = 3, /* that machines can be on */
};

/* Events 0 .. 3 carry a message; the first two of them may be deferred, the others raised. */
enum {
    EVENTS = 4,
    EVENT_RAISED = 2, /* the first that may be raised */
    EVENT_HALT = 4,   /* sn_halt_event */
    EVENT_ANY = 5,    /* sn_any, in tables only */
    EVENTS_ALL = 6,
};

/* What an instruction does. Those from CODE_GOTO on take effect when the action has returned, and
 * end the script. CODE_SEND, CREATE and the TIMERs announce operations: skipped when the message
 * being handled has no life left. */
enum code {
    CODE_NONE = 0,
    CODE_SEND,      /* event to machine */
    CODE_CREATE,    /* a machine of type arg; it becomes the sender's child */
    CODE_DRAW,      /* a value below arg */
    CODE_TIMER,     /* event after arg units of time */
    CODE_TIMER_ANY, /* event at any moment */
    CODE_CANCEL,    /* the timer that the machine started last, or if arg is 1, first; if any */
    CODE_MONITOR,   /* event to monitor arg */
    CODE_LINK, /* by the test alone: from `whom`, or if that is self anybody, to root event - 1,
                     * or if that is 0 anybody, messages have order arg */
    CODE_GOTO, /* state arg */
    CODE_PUSH, /* state arg */
    CODE_POP,
    CODE_RAISE, /* event */
    CODE_HALT,
};

/* Who an instruction means; nobody in some situations, and then it is skipped. */
enum whom {
    WHOM_SELF = 0,
    WHOM_SENDER,
    WHOM_PARENT,
    WHOM_CHILD,   /* the machine that this one created last */
    WHOM_CARRIED, /* whom the message names: its sender's child, or else its sender */
    WHOM_ROOT,    /* WHOM_ROOT + k: the k-th machine that the test creates */
};

enum condition {
    IF_ALWAYS = 0,
    IF_COUNT_ODD,
    IF_ACC_ODD,
    IF_ACC_THIRD, /* a multiple of three */
    IF_VALUE_ODD,
    IF_DREW_ZERO,
    IF_DREW_MORE,
    IF_FIRST, /* the first action of the machine */
    CONDITIONS,
};

struct instruction {
    uint8_t code;
    uint8_t condition;
    uint8_t whom;
    uint8_t event;
    uint8_t arg;
};

struct script {
    uint8_t n;
    struct instruction list[SCRIPT_MAX];
};

enum binding_kind {
    BIND_NONE = 0,
    BIND_RUN,
    BIND_RUN_GOTO,
    BIND_GOTO,
    BIND_PUSH,
    BIND_POP,
    BIND_DEFER,
    BIND_IGNORE,
    BIND_HALT,
};

struct binding {
    uint8_t kind;
    uint8_t state;
    struct script script;
};

struct state {
    bool has_entry; /* always in state 0 */
    bool has_exit;
    struct script entry;
    struct script exit; /* has no controls */
    struct binding on[EVENTS_ALL];
};

struct type {
    uint8_t n_states;
    struct state states[STATES_MAX];
};

/* A monitor has two states. */
struct monitor {
    bool moves[2][EVENTS]; /* the event leads to the other state */
    bool ignores[2][EVENTS];
    bool draws[2][EVENTS]; /* handling it asks for a value below 2 */
};

/* What may go wrong, at most once each in a trial. */
enum fault {
    FAULT_DROP = 0,
    FAULT_DUPLICATE,
    FAULT_DELAY,
    FAULT_PARTITION,
    FAULT_CRASH,
    FAULT_STOP,
    FAULTS,
};

struct program {
    uint64_t seed;
    uint8_t n_types;
    uint8_t n_monitors;
    uint8_t n_run;
    uint8_t life;     /* of messages that the test sends and machines that it creates */
    uint8_t controls; /* how many instructions from CODE_GOTO on a machine carries out */
    bool are_timers_any;
    uint8_t links;   /* enum sn_order */
    uint8_t n_nodes; /* the test's CREATE puts machines on node `whom`; 0: on none */
    bool faults[FAULTS];
    uint8_t down;  /* units of time until a node is restarted, at most; 0: it is not */
    uint8_t cut;   /* the same until the network heals */
    uint8_t delay; /* units of time by which a message is late, at most */
    bool cut_holds;
    struct type types[TYPES_MAX];
    struct monitor monitors[MONITORS_MAX];
    struct instruction run[RUN_MAX]; /* the test's own: SEND to a root, CREATE, DRAW, LINK */
};

/* What a machine remembers between actions. */
struct locals {
    uint8_t count;
    uint8_t acc;
    uint8_t drew;
    uint8_t controls;
};

/* An action begins: `value` is the message's, or 0 in an exit action. */
static inline void locals_begin(struct locals *locals, uint8_t value)
{
    locals->count++;
    locals->acc = (uint8_t)((locals->acc * 2 + value + 1) & 7);
}

static inline void locals_add(struct locals *locals, uint8_t value)
{
    locals->acc = (uint8_t)((locals->acc + value) & 7);
}

static inline void locals_drew(struct locals *locals, uint8_t value)
{
    locals->drew = value;
    locals_add(locals, value);
}

static inline bool locals_meet(const struct locals *locals, uint8_t condition, uint8_t value)
{
    switch (condition) {
    case IF_COUNT_ODD:
        return locals->count % 2 == 1;
    case IF_ACC_ODD:
        return locals->acc % 2 == 1;
    case IF_ACC_THIRD:
        return locals->acc % 3 == 0;
    case IF_VALUE_ODD:
        return value % 2 == 1;
    case IF_DREW_ZERO:
        return locals->drew == 0;
    case IF_DREW_MORE:
        return locals->drew > 0;
    case IF_FIRST:
        return locals->count == 1;
    default:
        return true;
    }
}

/* Names an operation in every schedule alike, from its cause and its place among what that
 * announced. */
static inline uint64_t stamp_child(uint64_t parent, uint32_t index)
{
    uint64_t x = parent * UINT64_C(0x9e3779b97f4a7c15) + index + 1;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#define STAMP_TEST UINT64_C(1)

/* What both sides write down of each action, in order. */
struct observation {
    uint64_t machine; /* its stamp; of a monitor, its number */
    uint64_t stamp;   /* of the operation being performed; 0 in exit actions */
    uint32_t now;
    uint8_t what; /* enum observed, plus the event, or the value drawn or returned */
    uint8_t state;
    uint8_t count;
    uint8_t acc;
};

enum observed {
    OBSERVED_ENTRY = 0,
    OBSERVED_EXIT = 16,
    OBSERVED_RUN = 32,
    OBSERVED_DRAW = 64,
    OBSERVED_CANCEL = 80,
    OBSERVED_MONITOR = 96,
};

/* Zeroed memory in a mapping that the library does not roll back; never freed, never NULL. */
void *shared_memory(size_t n);

/* What the library calls them. */
extern const char *const fault_names[FAULTS];

/* Whether the trials of a program have a task for faults. */
static inline bool program_has_faults(const struct program *program)
{
    bool has_any = false;

    for (int i = 0; i < FAULTS; i++)
        has_any |= program->faults[i];
    return has_any;
}

void program_print(const struct program *program, FILE *out);

#endif

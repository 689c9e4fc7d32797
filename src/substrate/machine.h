/* machine.h - what the parts of the machine substrate share.
 *
 * machine.c joins machines to the engine (create, send, timers, steps); state.c interprets their
 * state tables; monitor.c runs monitors, which are machines without a task, inside the step that
 * calls them; liveness.c judges how long they are hot. SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_MACHINE_H
#define SUBSTRATE_MACHINE_H

#include "engine/op.h"
#include "engine/trial.h"
#include "substrate/coverage.h"
#include "substrate/gate.h"

enum {
    MACHINE_FRAMES_MAX = 1 << 20,
    MACHINE_MONITORS_MAX = 1 << 10,
    MACHINE_DISPATCH_CACHE = 1024, /* a power of two */
    MACHINE_FENCE = 16,            /* bytes behind each `self` that nobody may write */
    MACHINE_CHAIN_MAX = 10000,     /* transitions and raised events within one step */
    MACHINE_LOOKS_MAX = 10000000,  /* at the clock within one step */
    MACHINE_SLEEP_LOOKS = 100,     /* a sleep, which is in the trace, counts as so many */
};

/* What an action asked for, done when it returns. */
enum machine_request {
    REQUEST_NONE = 0,
    REQUEST_GOTO,
    REQUEST_PUSH,
    REQUEST_POP,
    REQUEST_RAISE,
    REQUEST_HALT,
};

struct machine {
    const struct sn_machine *type;
    void *self;
    const struct sn_state *state; /* the top one; NULL: a plain node, or not started */
    uint32_t frame;               /* the states below; 0: none */
    uint32_t task;                /* 0: a monitor */
    union {
        uint32_t object; /* of a monitor */
        uint32_t node;   /* that a machine is on; 0: none */
    };
    uint32_t raised; /* operation that holds the payload of a raised event; 0: none */
    const struct sn_state *request_state;
    const struct sn_event *request_event;
    uint8_t request; /* enum machine_request */
    bool is_started;
    bool is_halted;
    bool is_leaving; /* an exit action runs: nothing may be asked for */
    uint32_t inbox;  /* object that stands for its shared inbox; 0: nothing has arrived there */
};

static_assert(sizeof(struct machine) == 64, "indexing should be a shift");

/* How hot a monitor is: see liveness.c. */
struct heat {
    uint64_t steps;   /* in hot states since the last cold one, before the present state */
    uint64_t time_ns; /* the same in virtual time */
    uint64_t from;    /* the step at which the present state was entered, or counting began; ... */
    uint64_t from_ns; /* ... and the time */
    uint64_t since;   /* the first step in a hot state since the last cold one */
    uint64_t cooled;  /* the last step in which a cold state was entered */
    bool is_heated;   /* there was a hot state since the last cold one */
};

/* The last part of a trial, in which a fair strategy decides. */
struct fair_tail {
    uint64_t from;    /* the step from which on all is fair and what happens counts, ... */
    uint64_t from_ns; /* ... and the time */
    uint64_t began_ns;
    uint64_t look_at;  /* the step at which to look again for what was left pending */
    uint64_t moved_at; /* the last step at which time had passed */
    uint64_t seen_ns;
    bool is_settled; /* nothing is left pending from before */
};

/* A state that lies below another one. */
struct machine_frame {
    const struct sn_state *state;
    uint32_t below;
};

struct machine_dispatch {
    const struct sn_state *state;
    const struct sn_event *event;
    const struct sn_on *on;
    sn_handler *run; /* of an entry that does nothing but run; NULL: there is more to it, or it has
                      * not been run yet */
};

/* Who uses which of trial_now's n_own. */
enum {
    OWN_FRAMES,
    OWN_MONITORS,
    OWN_FREE_FRAME,
    OWN_ENVIRONMENT, /* 1 if the trial has anything of environment.h */
    OWN_NODES,       /* node 0 included */
    OWN_RESIDENTS,
    OWN_RULES,
    OWN_DUE,
    OWN_DISKS,
    OWN_FILES,
    OWN_WRITES,
    OWN_DISK_LINES,
    OWN_SLEEPS,     /* how often the clock of all was moved by a step: see machine_saw_clock */
    OWN_TAIL,       /* 1 once it has begun */
    OWN_HISTORY,    /* 1 once a client has called an operation */
    OWN_OPERATIONS, /* that were called */
    OWN_PROCESSES,  /* process 0, which is none, included; 0 if there are none */
    OWN_TIES,
    OWN_PROCESS_NAMES,
    OWN_STACKS,          /* of processes, number 0 included */
    OWN_PROCESS_NUMBERS, /* 1 if there are processes */
    OWN_CONNECTIONS,
    OWN_NODE_WATCHES,
    OWN_EVENTS,  /* 1 if the trial has recorded events */
    OWN_SOCKETS, /* socket 0, which is none, included */
    OWN_SOCKET_WATCHES,
    OWN_HOSTS,
    OWN_PROCESS_TYPES, /* type 0, which is none, included */
    OWN_LOCKS,
    OWN_COUNT,
};

static_assert((int)OWN_COUNT <= (int)TRIAL_OWN_MAX, "each count has a place in struct trial");

struct machines {
    struct machine *actor; /* whose action is running; NULL: the test's run function */
    uint32_t sender;
    bool is_post_left;                                /* a plain node has not taken a callback */
    struct sn_op *delivering;                         /* the operation whose handler is running */
    _Alignas(64) struct machine all[TRIAL_TASKS_MAX]; /* by task */
    /* A cache that needs no saving: what it holds is checked before it is used. */
    struct machine_dispatch dispatch[MACHINE_DISPATCH_CACHE];
    bool is_covered[MACHINE_DISPATCH_CACHE]; /* of each entry: the coverage has it */
    struct machine_frame frames[MACHINE_FRAMES_MAX];
    /* The latest deadline of a timer that each has seen. Timers of kind any fire before virtual
     * time has come to their deadlines; whoever sees one fire must not see an earlier clock. It
     * is not the clock of all, because steps of others would then depend on it. */
    uint64_t clocks[TRIAL_TASKS_MAX];
    struct machine monitors[MACHINE_MONITORS_MAX];
    struct heat heat[MACHINE_MONITORS_MAX]; /* of each of them */
    struct fair_tail tail;
    enum { MATTERS_UNKNOWN, MATTERS, MATTERS_NOT } matters; /* whether limits are judged */
    char unlisted[128]; /* a monitor that was called but is not the test's; "": none. Not restored.
                         */
    char unjudged[256]; /* a trial that could not be judged at its limit; "": none. Not restored. */
    struct coverage coverage; /* not restored */
    struct gates gates;       /* not restored */
    char names[4][128];       /* what sn_name returned last */
    uint32_t next_name;
};

/* Makes the machine substrate part of a trial. 0, or SN_ENOMEM. */
int machines_join(struct trial *t, struct err *why);
void machines_leave(struct trial *t);

/* Forgets cached tables: another test may have others at the same addresses. */
void machines_forget(struct trial *t);

/* ---- state.c -------------------------------------------------------------------------------- */

/* Searches a state's table and remembers what was found. */
const struct sn_on *state_search(struct trial *t, const struct sn_state *state,
                                 const struct sn_event *event);

static inline struct machine_dispatch *state_cached(struct trial *t, const struct sn_state *state,
                                                    const struct sn_event *event)
{
    uintptr_t hash = ((uintptr_t)state >> 4) * 5 + ((uintptr_t)event >> 4);

    return &t->machines->dispatch[hash & (MACHINE_DISPATCH_CACHE - 1)];
}

/* What one state does with an event; NULL: nothing. */
static inline const struct sn_on *state_find_here(struct trial *t, const struct sn_state *state,
                                                  const struct sn_event *event)
{
    const struct machine_dispatch *cached = state_cached(t, state, event);

    if (likely(cached->state == state && cached->event == event))
        return cached->on;
    return state_search(t, state, event);
}

/* What the machine's states, from the top down, do with an event; NULL: nothing. *depth is the
 * number of states above the one that was found. */
const struct sn_on *state_find(struct trial *t, const struct machine *m,
                               const struct sn_event *event, uint32_t *depth);

/* Whether some state of the machine defers something. */
bool state_has_defers(const struct trial *t, const struct machine *m);

/* Handles an event to the end: transitions and raised events included. */
void state_handle(struct trial *t, struct machine *m, const struct sn_event *event,
                  const void *payload);

/* Enters the start state. */
void state_start(struct trial *t, struct machine *m, const void *payload);

/* Does what the last action asked for. */
void state_requests(struct trial *t, struct machine *m, const void *payload);

/* ---- action.c ------------------------------------------------------------------------------- */

/* Some function of the test. */
typedef void machine_action(void);

/* The one that is called first when this operation is performed now; NULL: none is. */
machine_action *machine_first_action(struct trial *t, const struct sn_op *op);

/* ---- machine.c ------------------------------------------------------------------------------ */

/* Ends a machine. */
void machine_halt(struct trial *t, struct machine *m);

/* Creates a machine on a node; 0: on none. */
uint32_t machine_new(struct trial *t, uint32_t node, const struct sn_machine *type,
                     const void *payload);

/* A machine that was halted starts anew, with nothing but its type. */
void machine_rebirth(struct trial *t, struct machine *m, uint32_t creator, const void *payload);

/* Performs an operation of a machine. */
void machine_perform(struct trial *t, struct sn_op *op);

/* Announces an operation of a task; returns its number. */
static inline uint32_t machine_announce(struct trial *t, uint16_t kind, uint32_t task,
                                        const void *what)
{
    uint32_t number = op_new(t);
    struct sn_op *op = &t->ops[number];
    bool is_first = t->now.children < TRIAL_HAS_SENT;

    op->id = op_child_id(t);
    op->task = task;
    op->from = t->now.task;
    op->cause = (uint32_t)t->now.steps;
    op->what = what;
    op->deadline = 0;
    op->kind = kind;
    op->flags = 0;
    if (kind != SN_OP_TIMER) {
        op->flags = is_first ? SN_OP_CONTINUES : 0;
        t->now.children |= TRIAL_HAS_SENT;
    }
    if (unlikely(t->announced != NULL))
        announced_add(t->announced, &(struct announcement){.id = op->id,
                                                           .what = what,
                                                           .from = op->from,
                                                           .task = task,
                                                           .op = number,
                                                           .kind = kind});
    return number;
}

/* The running trial, provided that a machine or the test is running: monitors only receive. */
struct trial *machine_acting_trial(const char *function);

/* Fails the trial in a process that only finds out what a segment calls: it shares the trial with
 * the one that runs it, and must take no decisions. */
void machine_refuse_in_segment(struct trial *t, const char *function);

/* The running task sends, or, to one that cannot be reached, is refused. */
void machine_send(struct trial *t, sn_id to, const struct sn_event *event, const void *payload,
                  size_t size);

/* Whether the gate of a task may change without a step of it: see is_ready. */
void machine_update_gate(struct trial *t, struct machine *m);

/* Ends the trial because an event is NULL, or comes without its payload. */
void machine_refuse_payload(struct trial *t, const struct sn_event *event, const void *payload,
                            const char *how) __attribute__((cold));

static inline void machine_check_payload(struct trial *t, const struct sn_event *event,
                                         const void *payload, const char *how)
{
    if (unlikely(event == NULL || (payload == NULL) != (event->size == 0)))
        machine_refuse_payload(t, event, payload, how);
}

/* The name of a machine, written into the buffer. */
const char *machine_name(struct trial *t, const struct machine *m, char *buffer, size_t size);

/* The time that a machine may know of, before what its node's clock makes of it. */
static inline uint64_t machine_time_ns(const struct trial *t, uint32_t task)
{
    uint64_t clock = t->machines->clocks[task];

    return clock > t->now.time_ns ? clock : t->now.time_ns;
}

#define MACHINE_CLOCK UINT64_C(0x6b636f6c63) /* "clock": its id as an object */

/* The running step looks at the clock. Only a sleep moves it while others can run; steps that look
 * at it after a sleep depend on that. */
static inline void machine_saw_clock(struct trial *t)
{
    uint32_t sleeps = t->now.n_own[OWN_SLEEPS];

    if (unlikely(sleeps != 0))
        t->now.order += mix_fold(t->now.step_id ^ MACHINE_CLOCK, sleeps);
}

/* Ends the trial: its step waits for a time that does not come. */
void machine_hangs(struct trial *t) __attribute__((cold));

/* The code under test looks at the clock so many times. A step takes no time but for its sleeps, so
 * one that waits by looking never ends. */
static inline void machine_count_looks(struct trial *t, uint32_t n)
{
    if (t->now.looks_step != t->now.steps) {
        t->now.looks_step = t->now.steps;
        t->now.looks = 0;
    }
    t->now.looks += n;
    if (unlikely(t->now.looks > MACHINE_LOOKS_MAX))
        machine_hangs(t);
}

/* The running trial, or the end of the program with a sentence: the API is for trials only. */
struct trial *machine_trial(const char *function);

/* Memory for `self`, zeroed, with a fence behind it. */
void *machine_self_new(struct trial *t, const struct sn_machine *type);

/* Whether the fence behind `self` is whole. */
bool machine_self_is_whole(const struct machine *m);

/* ---- monitor.c ------------------------------------------------------------------------------ */

/* Creates the test's monitors, before anything else happens in a trial. */
void monitors_begin(struct trial *t);

extern const struct oracle machine_oracle;

#endif

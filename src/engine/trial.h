/* trial.h - the state of the running trial, and the interfaces that substrates, strategies and
 * recorders fill.
 *
 * All arrays are reserved once at their largest size and never move; a trial uses a prefix of each.
 * What must be put back to return to an earlier point is exactly those prefixes: checkpoint.c
 * copies the ranges that are registered here, and knows nothing of what is in them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_TRIAL_H
#define ENGINE_TRIAL_H

#include "base/err.h"
#include "base/rng.h"
#include "base/text.h"
#include "engine/announced.h"
#include "engine/classes.h"
#include "engine/death.h"
#include "engine/fiber.h"
#include "engine/log.h"
#include "engine/mem.h"
#include "engine/state.h"
#include "engine/touches.h"

#include <assert.h>
#include <sennit/strategy.h>
#include <sennit/test.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define unlikely(x_) __builtin_expect(!!(x_), 0)
#define likely(x_) __builtin_expect(!!(x_), 1)

enum {
    TRIAL_OPS_MAX = 1 << 20,
    TRIAL_SOURCES_MAX = 1 << 20,
    TRIAL_LINK_DIRECT = 1 << 20, /* slots of links between the first tasks: see source_link */
    TRIAL_LINK_HASHED = 1 << 21, /* twice the links there can be */
    TRIAL_LINK_SLOTS = TRIAL_LINK_DIRECT + TRIAL_LINK_HASHED,
    TRIAL_TASKS_MAX = 1 << 18,
    TRIAL_OBJECTS_MAX = 1 << 16,
    TRIAL_DRAWS_MAX = 1 << 20,
    TRIAL_RANGES_MAX = 64,
    TRIAL_OWN_MAX = 32, /* counts that substrates keep of their ranges */
    TRIAL_KINDS_MAX = 16,
    TRIAL_PHASES_MAX = 8,
    TRIAL_ORACLES_MAX = 4,
    TRIAL_BLOBS_MAX = 1 << 20,
    TRIAL_BLOB_CLASSES = 22,
    TRIAL_MEMORY_LINES_MAX = (1 << 28) >> MEM_SAVING_SHIFT, /* 16 GiB, or less */
    TRIAL_SMALL_PAYLOAD = 64, /* bytes kept beside the operation; larger ones are in pools */
};

#define SOURCE_NO_SENDER UINT32_MAX

/* The id of the set-up, from which all others come. */
#define TRIAL_ROOT_ID UINT64_C(0x53656e6e6974)

/* In the number of children of a step: one of them is a message or a start. */
#define TRIAL_HAS_SENT (UINT32_C(1) << 31)

/* The sender of a source that belongs to a link without being it, and back again. */
#define SOURCE_BESIDE(from_) ((from_) ^ (UINT32_C(1) << 30))

struct trial;
struct core;

/* A queue of operations of which at most one, the first that is ready, is enabled. */
struct source {
    uint32_t head;
    uint32_t tail;
    uint32_t ready;    /* the operation that can run; 0: none */
    uint32_t position; /* in the enabled set, from 1; 0: not in it */
    uint32_t from;     /* SOURCE_NO_SENDER: not a link */
    uint32_t to;
    uint32_t next_of_task;    /* all sources of one target form a list */
    uint32_t generation : 30; /* how often a single source was used; of a link, the source beside
                               * it that holds its delayed operations, 0 if there is none */
    uint32_t is_single : 1;   /* for one operation at a time: see source_single */
    uint32_t is_waiting : 1;  /* its head waits for its deadline */
};

static_assert(sizeof(struct source) == 32, "indexing should be a shift");
static_assert(sizeof(struct sn_op) == 64, "indexing should be a shift");

/* Who is running. */
enum trial_acts {
    ACTS_NOT = 0, /* a monitor, or nobody */
    ACTS_AT_ONCE, /* a machine, or the test */
    ACTS_IN_TURN, /* a process: each thing that it does is announced first */
};

enum task_flags {
    TASK_GATED = 1, /* not every operation is ready: ask the substrate */
    TASK_HALTED = 2,
    TASK_ROUTED = 4,  /* what is sent to it goes through the network of the environment */
    TASK_PROCESS = 8, /* what is sent to it goes into its mailbox, at once */
};

/* What the engine knows of something that can take steps. The substrate keeps more under the same
 * number. */
struct task {
    uint64_t id;    /* derived from its creation, the same in every trial */
    uint64_t steps; /* performed so far: the index within the task */
    uint32_t first_source;
    uint32_t first_draw;
    union {
        uint32_t free_source; /* a list, through sources' head, of single sources not in use */
        uint32_t own;         /* of a process, which has none: its substrate's number for it */
    };
    uint32_t flags;
};

/* How often a task has drawn under one label; or a scope of its draws, which has counts of its own,
 * so that what is drawn in it has keys that do not depend on what was drawn before it. */
struct draw_count {
    const char *label;
    uint64_t key;
    uint32_t count; /* of a scope: its number in what it belongs to, from 0 */
    uint32_t next;  /* of a scope: the first count in it */
    /* Of a scope: how many it lies in, itself included; 0: it is no scope. */
    uint32_t depth;
    uint32_t low;    /* ... the smallest depth since the task has drawn last */
    uint32_t parent; /* ... the scope around it, or the first count outside of any */
    uint32_t group;  /* ... what it is one of is the how many-th with its label */
};

static_assert(sizeof(struct draw_count) == 40, "no holes that comparisons of memory would see");

/* Something other than a task that steps touch: a monitor, later a lock or a file. */
struct object {
    uint64_t id;
    uint64_t writes; /* how many; of one with two sides, the sum of the steps that touched this */
};

/* A block of trial memory that holds a large payload, or is free for the next one of its class. */
struct blob {
    uint32_t line; /* first, in units of 64 bytes */
    uint32_t next; /* free block of the same class */
};

/* Part of the state that a checkpoint copies: the first *count elements. */
struct trial_range {
    void *base;
    const uint32_t *count;
    uint32_t element_size;
};

/* See `gate`. */
#define SUBSTRATE_GATE_VAGUE (UINT32_C(1) << 31)

struct substrate {
    /* This process is about to run trials, or has run them: what is opened in between does not
     * belong to any. 0, or SN_E* with a sentence. Both may be NULL. */
    int (*open)(struct trial *t, struct err *why);
    void (*close)(struct trial *t);
    /* A trial begins, before the test's run function. May be NULL. */
    void (*begin)(struct trial *t);
    /* The test's run function has returned, and the set-up ends here. May be NULL. */
    void (*settle)(struct trial *t);
    /* The set-up, which trials may share, is over. May be NULL. */
    void (*arm)(struct trial *t);
    /* now.due_at has been reached; sets the next one. NULL unless that is ever set. */
    void (*due)(struct trial *t);
    /* Performs an operation of this kind; returns when the task has parked at its next one. */
    void (*perform)(struct trial *t, struct sn_op *op);
    /* The same for a task that is a fiber, up to where that is resumed, which whoever calls this
     * does; NULL: there is nothing to resume, and all is done. May be NULL itself. */
    struct fiber *(*enter)(struct trial *t, struct sn_op *op);
    /* Asked for tasks that are TASK_GATED. */
    bool (*is_ready)(struct trial *t, const struct sn_op *op);
    /* For strategies that ask what could have been: a number, not 0, for what such a task takes
     * now, and whether a task that had this number would have taken an operation, which need not
     * have been announced then. With SUBSTRATE_GATE_VAGUE added to it, which is not part of the
     * number, a task that has it may take less. */
    uint32_t (*gate)(struct trial *t, uint32_t task);
    bool (*takes)(struct trial *t, uint32_t gate, const struct sn_op *op);
    /* What a pending operation is about, known before it runs: two of different tasks that are
     * about the same thing conflict, unless *is_reading for both. It is known again in other
     * trials. NULL if that is always the task itself. */
    uint64_t (*about)(struct trial *t, const struct sn_op *op, bool *is_reading);
    /* Who a task is, known again in other trials. NULL: the id of the task says it. */
    uint64_t (*who)(struct trial *t, uint32_t task);
    /* Between steps: a hash of what a task remembers and of what it does with operations, as far as
     * that can be seen. NULL: nothing of it can. */
    uint64_t (*look)(struct trial *t, uint32_t task);
    /* Between steps: adds what decides the future and the verdict to a key, but for what is
     * pending. 0, or SN_EINVAL with a sentence: part of it cannot be told. NULL: there is nothing.
     */
    int (*state)(struct trial *t, struct state_key *key, struct err *why);
    /* What an operation of this kind is and carries. NULL: its kind is all. */
    struct state_key (*content)(const struct trial *t, const struct sn_op *op);
};

/* What is known of a client's operation from now on. */
enum operation_event { OPERATION_CALL = 1, OPERATION_RETURN, OPERATION_FAIL };

/* Told what happens while a trial is run again for a trace or a comparison; never on the hot path.
 * A field that does not apply is NULL or 0. Every callback but step may be NULL. */
struct recorder {
    void (*step)(struct trial *t, const struct sn_op *op, const void *payload);
    /* Before each decision of a log that is repeated, and behind the last one. */
    void (*between)(struct trial *t);
    void (*draw)(struct trial *t, const struct sn_draw *draw, uint64_t value);
    void (*create)(struct trial *t, uint32_t task, const struct sn_machine *type);
    void (*name)(struct trial *t, uint32_t task, const char *name);
    void (*send)(struct trial *t, const struct sn_op *op, const void *payload);
    void (*state)(struct trial *t, const char *was, const struct sn_state *is, const char *how);
    void (*monitor)(struct trial *t, const struct sn_machine *type, const struct sn_event *event,
                    const void *payload);
    void (*timer)(struct trial *t, const char *how, const struct sn_op *op);
    void (*event)(struct trial *t, const char *what, const struct sn_event *event, uint32_t to,
                  const void *payload);
    void (*note)(struct trial *t, const char *text);
    /* Something went wrong or came right again; op is the message it happened to. */
    void (*fault)(struct trial *t, const char *what, const char *node, const struct sn_op *op);
    /* A client has called operation `number`; it has returned; or it has failed. */
    void (*operation)(struct trial *t, enum operation_event what, uint32_t number,
                      const struct sn_operation *op);
    /* What clients have done is not legal, and why; the i-th operation of the core's history is
     * that of number numbers[i]. */
    void (*core)(struct trial *t, const struct core *core, const uint32_t *numbers);
    /* Code that is not under control has returned. */
    void (*foreign)(struct trial *t, const char *name, uint64_t result);
    const char *(*task_name)(struct trial *t, uint32_t task);
    /* A trial that was searched is over, however it ended; in the process that ran it. */
    void (*over)(struct trial *t);
    void *self;
};

#define trial_record(t_, what_, ...)                                                               \
    do {                                                                                           \
        if (unlikely((t_)->recorder != NULL) && (t_)->recorder->what_ != NULL)                     \
            (t_)->recorder->what_((t_), __VA_ARGS__);                                              \
    } while (0)

/* Decides where a log leads in a program that has moved on: see trial_follow_guide. */
struct guide {
    /* The source whose operation runs next; 0: the trial ends here. May give the operation the id
     * by which it goes in the log, so that what it announces has the ids it had. */
    uint32_t (*pick)(struct trial *t, void *self);
    uint64_t (*draw)(struct trial *t, const struct sn_draw *draw, void *self); /* below draw->n */
    void *self;
};

/* Every callback may be NULL. */
struct oracle {
    /* The first step is about to be taken; may call trial_watch_at. */
    void (*arm)(struct trial *t);
    /* now.watch_at has been reached, and the next decision is about to be taken. To be called again
     * it must say so with trial_watch_at. */
    void (*watch)(struct trial *t);
    /* Something could have happened but was kept from it until now: what comes counts. */
    void (*disturb)(struct trial *t);
    /* Judges a trial that has ended by itself or at its limit, or would end here if nothing more
     * went wrong: in one trial that can happen several times. */
    void (*judge)(struct trial *t, bool at_limit);
    /* Adds what the verdict depends on and only the oracle knows to a key: as in struct substrate.
     */
    int (*state)(struct trial *t, struct state_key *key, struct err *why);
};

struct verdict {
    enum sn_verdict verdict;
    char oracle[16];
    char message[512];
    char at[256]; /* file:line; "" if nowhere */
    /* The type of the machine whose action was running; "": none was, or its process has died. It
     * is told at once, because types may be in the memory of the process that runs the trial. */
    char actor[64];
};

/* Not by assignment, which would fill most of a kilobyte with zeroes before each trial. */
static inline void verdict_pass(struct verdict *v)
{
    v->verdict = SN_PASSED;
    v->oracle[0] = '\0';
    v->message[0] = '\0';
    v->at[0] = '\0';
    v->actor[0] = '\0';
}

/* All scalars that belong to a moment of a trial. */
struct trial_now {
    /* What every step needs comes first and fills one cache line. */
    uint64_t steps;
    uint64_t order;    /* hash of the partial order so far */
    uint64_t step_id;  /* of the operation being performed */
    uint32_t children; /* announced by this step so far; TRIAL_HAS_SENT: a message among them */
    uint32_t task;     /* that performs it */
    uint32_t n_enabled;
    /* How often one was removed from them, or got another operation while it stayed where it is: a
     * strategy that remembers them by place must look at all of them again. */
    uint32_t n_shifts;
    uint32_t n_faults; /* of those: time passes as if they were not there */
    uint32_t free_op;
    uint32_t n_ops; /* used prefixes; element 0 of these arrays means none */
    uint32_t n_sources;
    uint32_t n_tasks;
    uint64_t time_ns;
    uint64_t latest_ns; /* the latest time that a machine knows of: see perform_timer */
    uint32_t n_objects;
    uint32_t n_draws;
    uint32_t n_waiting;
    uint32_t n_blobs;
    uint32_t free_blob[TRIAL_BLOB_CLASSES]; /* class c holds 64 << c bytes */
    uint32_t memory_lines;                  /* of the trial's memory, in units of 64 bytes */
    uint32_t n_own[TRIAL_OWN_MAX];          /* counts of the substrates' ranges */
    uint32_t n_fibers;                      /* that have a stack, which only a world can save */
    uint64_t due_at;                        /* step at which a substrate wants to be asked */
    uint64_t watch_at;                      /* step at which an oracle wants to look */
    uint64_t looks_step;                    /* see machine_count_looks */
    uint32_t looks;
    uint32_t waits;   /* how often time has passed because nothing else could happen */
    uint32_t n_named; /* these four are for require.c: 0 unless something is required */
    uint32_t n_required;
    uint32_t n_held; /* sources of which an operation could run, but must not yet */
    uint32_t n_marked;
    bool has_yielded; /* see require_yield */
    bool is_set_up;   /* the test's run function has returned */
    bool is_armed;    /* and substrates have prepared what follows */
    /* What a step touches may follow from what came before it: a process that ends tells those who
     * watch it. */
    bool has_changing_steps;
};

struct trial {
    struct trial_now now;

    char *payloads; /* small ones: TRIAL_SMALL_PAYLOAD bytes per operation */
    char *memory;   /* machines and what tests ask for; lies in the world's address range */

    uint64_t follow; /* decisions below this index of the log are repeated, not asked */

    const struct sn_test *test;
    uint64_t steps_max;
    uint64_t time_max_ns;
    /* The step at which the last phase begins, if its strategy is fair; UINT64_MAX: it is not. A
     * limit of virtual time may make it begin earlier than planned, in this trial. */
    uint64_t fair_from;
    enum sn_timers timers;

    const struct substrate *substrates[TRIAL_KINDS_MAX]; /* by kind of operation */
    /* Those of them that want to know when trials begin, are set up, and are armed: a bit for each
     * kind. Most do not, and most trials are short. */
    uint32_t beginners;
    uint32_t settlers;
    uint32_t armed;
    /* Their perform, one load nearer. */
    void (*perform[TRIAL_KINDS_MAX])(struct trial *t, struct sn_op *op);
    /* What stands for that of SN_OP_PROCESS; NULL: nothing does. See trial_perform. */
    struct fiber *(*enter)(struct trial *t, struct sn_op *op);
    struct machines *machines;       /* the machine substrate's own */
    struct processes *processes;     /* that of processes */
    struct environment *environment; /* that of nodes, networks and faults */
    struct disks *disks;
    struct lasso *lasso;     /* the oracle of repeated states' own */
    struct leak *leak;       /* the oracle of leaks' own; NULL: nobody looks for them */
    struct clients *clients; /* the oracle of histories' own */
    struct events *events;   /* recorded events' own */
    struct sites *sites;     /* what trials have shown of places: shared by all workers of a run */
    struct classes *classes; /* what trials are said to be: the same */
    const struct oracle *oracles[TRIAL_ORACLES_MAX];
    const struct recorder *recorder; /* NULL on the hot path */
    const struct guide *guide;       /* NULL unless a log is followed with tolerance */
    struct touches *touches;         /* of the running step; NULL unless the strategy asks */
    struct announced *announced;     /* by it; the same */
    struct require *require;         /* what filters decisions, if it is needed; NULL: it is not */
    struct require *filter;          /* the same while it does; otherwise NULL */
    struct naming *naming;           /* by which it knows who is who; NULL: nobody asks */
    struct happened *happened;       /* who makes a list of events; NULL: nobody does */
    const struct sn_strategy *strategy;
    void *strategy_self;

    struct trial_range ranges[TRIAL_RANGES_MAX];
    uint32_t n_ranges;

    /* Checkpoints are taken at steps with a choice, at most one every this many steps; 0: none. */
    uint64_t checkpoint_stride;
    uint64_t checkpoint_due; /* UINT64_MAX: never */
    uint64_t phase_end;      /* another strategy takes over at this step, ... */
    uint64_t phase_end_ns;   /* ... or at this time */
    uint64_t pause_at;       /* the earliest of these and of what else is to be done at a step */
    void (*checkpoint)(struct trial *t);
    struct explore *explore; /* that runs this trial */
    void *owner;             /* of the layer that made it */
    bool shares_memory;      /* its memory and payloads are another's to release */

    bool is_repeating; /* a trial that was run before */
    bool is_lab;       /* see struct explore_options */
    bool is_planned;   /* the strategy follows a plan: see trial_draw_preferring */
    bool is_free;      /* it draws at random: see trial_draw_shaped */
    bool running;      /* code of the test may be on the stack */
    uint8_t may_act;   /* ... and it is not a monitor's: enum trial_acts */
    bool cut;          /* ended at a limit */
    bool phase_over;   /* the loop has returned because of phase_end */
    uint32_t phase;
    uint64_t phase_began; /* the step at which it did */
    uint64_t phase_log; /* decisions that were taken before the present strategy's first one, ... */
    uint64_t phase_first; /* ... and steps; both are 0 in the first phase */
    uint64_t phase_steps[TRIAL_PHASES_MAX];
    uint64_t mind;   /* how its strategies draw it, and ... */
    uint32_t arm;    /* ... which of them: see strategy_entry */
    bool abandoned;  /* left, to be forgotten */
    bool was_probe;  /* ... and begun to see what a step does */
    bool uncounted;  /* ... as if it had never been */
    bool stuck;      /* ended because nothing was left but what must wait: see require.h */
    bool discarded;  /* its values are none that the test is about: it proves nothing */
    bool unfinished; /* left, or repeated to the end of the log, but not at an end */
    struct trial_classes classed; /* what it is said to be */
    struct verdict verdict;
    /* The type of the machine whose action is running; "": none is. NULL: there are no machines. */
    const char *(*name_actor)(const struct trial *t);
    struct err divergence; /* what did not repeat itself; "" if all did */
    uint64_t mark;         /* step at which what failed began, for a recording; UINT64_MAX: none */
    uint64_t serial;       /* of the trial, among all that were started here */
    uint64_t forgettings;  /* grows when what op->what is may be at another's address */
    struct death death;    /* of the process that ran it, if it died; where control was lost */
    struct sn_op performing;
    jmp_buf escape;
    void (*bail)(struct trial *t); /* instead of going there, of a process that must not; or NULL */
    struct fiber *fiber; /* that is running; NULL: none, the code is on the engine's own stack */
    int *error;          /* errno of the thread that runs the trial */
    struct process *process; /* whose it is: its substrate's own */
    struct fiber main;       /* the engine's own */
    bool has_plain_fibers;   /* see fiber_is_plain */
    /* The engine's own floating point control words after the step in which a fiber was resumed
     * last. If the next step resumes one, too, no code of the test has run in between. */
    uint64_t words;
    uint64_t words_at; /* that step */
    jmp_buf *jump;     /* where to go on there: see trial_jump */
    /* What is to be done on the engine's own stack when the running fiber has been left, whose
     * process this was; NULL: nothing but to go on. */
    void (*landing)(struct trial *t, struct process *left);

    /* At their largest size, so that an element is found without loading a pointer first. */
    _Alignas(64) struct sn_op ops[TRIAL_OPS_MAX]; /* one cache line each */
    _Alignas(64) struct source sources[TRIAL_SOURCES_MAX];
    _Alignas(64) struct task tasks[TRIAL_TASKS_MAX];
    uint32_t link_table[TRIAL_LINK_SLOTS]; /* finds links: see source_link */
    uint32_t link_slot[TRIAL_SOURCES_MAX];
    /* The sources of which an operation can run. The low half of an entry is the source; the high
     * half is the strategy's, and 0 whenever another operation has become ready there. */
    uint64_t enabled[TRIAL_SOURCES_MAX];
    uint32_t waiting[TRIAL_SOURCES_MAX]; /* sources that wait for a deadline */
    struct object objects[TRIAL_OBJECTS_MAX];
    struct draw_count draws[TRIAL_DRAWS_MAX];
    struct blob blobs[TRIAL_BLOBS_MAX]; /* where payloads above TRIAL_SMALL_PAYLOAD are */
    struct log log;
};

/* Reserves everything, but shares the memory of machines and payloads, which a forked process has
 * for itself, with `like` if that is not NULL. 0, or SN_ENOMEM. */
int trial_new(struct trial **out, const struct trial *like, struct err *why);
void trial_free(struct trial *t);

/* Makes a substrate responsible for a kind of operations. */
void trial_join(struct trial *t, uint16_t kind, const struct substrate *substrate);

/* Adds to what checkpoints copy. */
void trial_range_add(struct trial *t, void *base, const uint32_t *count, size_t element_size);

/* An empty trial with one task, the test itself. The log is left alone. */
void trial_clear(struct trial *t);

/* The ends of a trial: a bug, the loss of control over it, another course than before. None returns
 * while code of the test is running. */
void trial_fail(struct trial *t, const char *oracle, const char *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void trial_lose_control(struct trial *t, const char *oracle, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void trial_diverge(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Leaves a trial without a verdict, because whoever drives it wants to go elsewhere. Does not
 * return while code of the test is running. */
void trial_leave(struct trial *t);

/* The same, because its strategy wants to begin another one instead: nobody will know of it. */
void trial_abandon(struct trial *t);

/* The same, and it was begun only to see what its last step does. */
void trial_abandon_probe(struct trial *t);

/* The same as trial_abandon, and it is not even counted: another trial stands for it. */
void trial_forget(struct trial *t);

/* The oracle of a trial that control was lost over because its strategy cannot search this test:
 * not the test is at fault, but who chose the strategy. */
#define TRIAL_REFUSED "refused"

/* Whether somebody has said, with TRIAL_REFUSED, that the trial cannot be run at all. */
static inline bool trial_was_refused(const struct trial *t)
{
    return t->verdict.verdict == SN_UNCONTROLLED && strcmp(t->verdict.oracle, TRIAL_REFUSED) == 0;
}

/* The state between two steps, but for what is pending (state.h). 0, or SN_EINVAL with a sentence:
 * part of it cannot be told. Equal keys mean nothing in another process. */
int trial_state(struct trial *t, struct state_key *key, struct err *why);

/* What a pending operation is and carries, but for its place and its age. */
struct state_key trial_content(const struct trial *t, const struct sn_op *op);

/* Ends the trial because it cannot go on as is required. Does not return while code of the test is
 * running. */
void trial_get_stuck(struct trial *t);

/* The strategy has no more to say: from this step on the one of the next phase decides. In the last
 * phase nothing happens. */
void trial_end_phase(struct trial *t, uint64_t step);

/* Sets when the next checkpoint is due, and so the next pause. */
static inline void trial_set_due(struct trial *t, uint64_t step)
{
    uint64_t at = step < t->steps_max ? step : t->steps_max;

    t->checkpoint_due = step;
    at = t->phase_end < at ? t->phase_end : at;
    at = t->now.watch_at < at ? t->now.watch_at : at;
    at = t->now.due_at < at ? t->now.due_at : at;
    t->pause_at = t->now.latest_ns < t->phase_end_ns ? at : 0;
}

/* Time has come so far, at least for one machine; a phase may end with it. */
static inline void trial_reach(struct trial *t, uint64_t time_ns)
{
    if (time_ns <= t->now.latest_ns)
        return;
    t->now.latest_ns = time_ns;
    if (unlikely(time_ns >= t->phase_end_ns))
        t->pause_at = 0;
}

/* An oracle wants to look at this step, or at an earlier one if it has asked for that already. */
static inline void trial_watch_at(struct trial *t, uint64_t step)
{
    if (step < t->now.watch_at)
        t->now.watch_at = step;
}

/* Runs body(t) so that trial_fail can leave it from any depth. */
void trial_guard(struct trial *t, void (*body)(struct trial *t));

/* The fiber was left, and something is to be done about that. */
void trial_land(struct trial *t) __attribute__((cold));

/* Lets the fiber of t->process run until it is suspended, or goes where it was left for. */
static inline __attribute__((always_inline)) void trial_resume(struct trial *t, struct fiber *fiber)
{
    t->may_act = ACTS_IN_TURN;
    t->fiber = fiber;
    if (likely(t->has_plain_fibers)) {
        if (unlikely(t->now.steps != t->words_at + 1))
            t->words = fiber_words();
        fiber_switch_keeping(&t->main, fiber, t->words);
        t->words_at = t->now.steps;
    } else {
        fiber_switch(&t->main, fiber);
    }
    t->may_act = ACTS_AT_ONCE;
    t->fiber = NULL;
    if (unlikely(t->landing != NULL))
        trial_land(t);
    t->process = NULL;
}

/* Performs an operation. A fiber is resumed here, in the loop itself: processors take it that a
 * function returns to where it was called last, and are wrong whenever fibers have been switched
 * in between. */
static inline __attribute__((always_inline)) void trial_perform(struct trial *t, struct sn_op *op)
{
    struct fiber *fiber;

    if (likely(op->kind != SN_OP_PROCESS) || unlikely(t->enter == NULL)) {
        t->perform[op->kind](t, op);
        return;
    }
    fiber = t->enter(t, op);
    if (likely(fiber != NULL))
        trial_resume(t, fiber);
}

/* Who a task is, for strategies that learn from one trial for others. */
static inline uint64_t trial_who(struct trial *t, uint32_t task)
{
    return likely((t->tasks[task].flags & TASK_PROCESS) == 0)
               ? t->tasks[task].id
               : t->substrates[SN_OP_PROCESS]->who(t, task);
}

/* What an operation is about: of a delivery, the task. */
static inline uint64_t trial_about(struct trial *t, const struct sn_op *op, bool *is_reading)
{
    *is_reading = false;
    return likely(op->kind <= SN_OP_FAULT) ? t->tasks[op->task].id
                                           : t->substrates[op->kind]->about(t, op, is_reading);
}

/* Suspends the running fiber until it is resumed. */
static inline __attribute__((always_inline)) void trial_suspend(struct trial *t,
                                                                struct fiber *fiber)
{
    int was;

    if (unlikely(!t->has_plain_fibers)) {
        fiber_switch(fiber, &t->main);
        return;
    }
    was = *t->error;
    fiber_switch_plain(fiber, &t->main, fiber_words());
    *t->error = was;
}

/* Goes on at a place on the engine's own stack, from whatever stack this is called on. */
void trial_jump(struct trial *t, jmp_buf *to) __attribute__((noreturn));

/* Nothing is enabled but faults: lets time pass until something is. False: the trial is over. If
 * only faults are left it could be over, so it is judged. */
bool trial_wait(struct trial *t);

/* Asks the oracles; one that finds a bug ends the trial. */
void trial_judge(struct trial *t);

/* Lets time pass until the earliest deadline although something is enabled. Nothing happens if
 * nothing waits, or if that would be beyond the limit of time. */
void trial_pass_time(struct trial *t);

/* Asks the substrates what is due at this step. */
void trial_due(struct trial *t);

/* Tells the oracles that what has happened so far was not fair. */
void trial_disturb(struct trial *t);

/* Lets the oracles look. */
void trial_watch(struct trial *t);

/* Lets them say from when on they want to look. */
void trial_arm_oracles(struct trial *t);

/* For a strategy that is about to decide: this decision and all later ones are fair. */
void trial_begin_fairness(struct trial *t);

/* Performs decisions of the log up to `follow`. False if the trial ended or diverged before. */
bool trial_follow(struct trial *t);

/* Takes decisions as the guide says until the trial ends, and judges it. */
void trial_follow_guide(struct trial *t);

/* Takes decisions by the strategy's callbacks until the trial ends. loop.h has the template. */
void trial_loop_any(struct trial *t);

/* At a step where something other than a step is to be done. False: the loop must return, because
 * the trial is cut here or another strategy takes over. */
bool trial_pause(struct trial *t);

/* A value decided by the log or the strategy. */
uint64_t trial_draw(struct trial *t, const char *label, uint64_t n);

/* The same for a value that only helps strategies that do not try everything: to a systematic one
 * 0 is the only answer there is. */
uint64_t trial_draw_unless_systematic(struct trial *t, const char *label, uint64_t n);

/* The same for a value of which there is one that every strategy is to take. Only a plan, which
 * somebody makes smaller, may have another. */
uint64_t trial_draw_preferring(struct trial *t, const char *label, uint64_t n, uint64_t preferred);

/* How likely values are to strategies that draw at random: what they draw is a number of 64 bits,
 * and `value` makes one below n of it. */
struct draw_shape {
    uint64_t (*value)(const void *self, uint64_t n, uint64_t bits);
    const void *self;
};

/* The same for a value that is not as likely as any other. Systematic strategies, plans and people
 * choose among the values as ever: what is in the log is the value. */
uint64_t trial_draw_shaped(struct trial *t, const char *label, uint64_t n,
                           const struct draw_shape *shape);

/* Whether trial_draw_shaped would ask for bits now, rather than follow a log or somebody's choice:
 * then `value` may be chosen by who draws, with trial_draw_known. */
bool trial_draws_freely(const struct trial *t);

/* A value that follows from earlier ones that were drawn freely: it is in the log as a decision of
 * its own, so that it can be another one there. */
uint64_t trial_draw_known(struct trial *t, const char *label, uint64_t n, uint64_t value);

/* How often the running task has drawn under a label, in the present scope. */
uint32_t trial_draw_number(const struct trial *t, const char *label);

/* A group of scopes of the running task's draws, known by its label and occurrence. */
uint64_t trial_scopes(struct trial *t, const char *label, uint32_t *group);

/* Enters scope number `index` of a group, whose label must last; leaves it, and all that were
 * entered in it since. */
uint32_t trial_scope_enter(struct trial *t, uint64_t group_key, const char *label, uint32_t group,
                           uint32_t index);
void trial_scope_leave(struct trial *t, uint32_t scope);

/* Where the running task draws now: in how many scopes, and in how many of those it has drawn
 * already (or in scopes of them). */
struct draw_depth {
    uint32_t depth;
    uint32_t low;
};

struct draw_depth trial_draw_depth(const struct trial *t);

/* Ends the trial because its values are none that the test is about. Does not return while code of
 * the test is running. */
void trial_discard(struct trial *t);

/* Zeroed memory of the trial. Fails the trial when there is too much. */
void *trial_alloc(struct trial *t, size_t n);

/* Announces a new task. */
uint32_t trial_task_new(struct trial *t);

uint32_t trial_object_new(struct trial *t, uint64_t id);

/* The running step writes to an object, wherever that is kept. */
static inline void trial_write(struct trial *t, struct object *o)
{
    t->now.order += mix_fold(t->now.step_id ^ o->id, o->writes++);
    if (unlikely(t->touches != NULL))
        touches_add(t->touches, o->id, TOUCH_WRITE);
}

/* The running step reads what others write. */
static inline void trial_read(struct trial *t, const struct object *o)
{
    t->now.order += mix_fold(~t->now.step_id ^ o->id, o->writes);
    if (unlikely(t->touches != NULL))
        touches_add(t->touches, o->id, TOUCH_READ);
}

/* The running step writes to an object. */
void trial_touch(struct trial *t, uint32_t object);

/* The running step reads what others write. */
void trial_touch_read(struct trial *t, uint32_t object);

/* The running step touches one side, TOUCH_CALL or TOUCH_RETURN, of what consists of this object
 * and the one after it. Steps that touch the same side commute. */
void trial_touch_side(struct trial *t, uint32_t object, enum touch_mode side);

/* What the running step does depends on everything, and everything on it. */
static inline void trial_touch_all(struct trial *t)
{
    if (unlikely(t->touches != NULL))
        t->touches->is_wild = true;
}

/* What the running step does is what a step before has sent: it comes after that one, but the two
 * are no race, because without the one the other would not be this. */
static inline void trial_touch_after(struct trial *t, uint64_t step)
{
    if (unlikely(t->touches != NULL))
        t->touches->after = (uint32_t)step;
}

/* The running step, which is another task's, changes what this task will do. */
void trial_touch_task(struct trial *t, uint32_t task);

/* The running step, which is another task's, sees what this task has done. */
void trial_read_task(struct trial *t, uint32_t task);

#endif

/* process.h - what the parts of the process substrate share.
 *
 * process.c joins processes to the engine: each is a task with one source, in which the operation
 * waits that it has announced last, and a fiber that is suspended there. mailbox.c sends and
 * receives; wait.c waits for anything else; exits.c ends processes and tells others; registry.c
 * keeps names; connections.c knows of nodes. A process has an entry among the machines, too, so
 * that ids, names and nodes are the same for both.
 *
 * What a step of a process touches, beside its own task: the mailboxes it sends to, the lives it
 * asks for or ends, names, connections. docs/processes.md has the table.
 * SPDX-License-Identifier: MIT
 */
#ifndef SUBSTRATE_PROCESS_H
#define SUBSTRATE_PROCESS_H

#include "engine/callsite.h"
#include "engine/fiber.h"
#include "engine/here.h"
#include "engine/op.h"
#include "engine/trial.h"
#include "engine/world/root.h"
#include "substrate/foresight.h"
#include "substrate/lock.h"
#include "substrate/machine.h"
#include "substrate/phrases.h"
#include "substrate/rank.h"

#include <errno.h>
#include <sennit/process.h>

enum {
    PROCESSES_MAX = 1 << 17,
    PROCESS_STACK = 64 << 10,    /* bytes, unless its type says otherwise */
    PROCESS_TYPES_MAX = 1 << 12, /* in a trial */
    PROCESS_TYPE_SLOTS = 2 * PROCESS_TYPES_MAX,
    PROCESS_NAMES_MAX = 1 << 16,
    PROCESS_NAME_MAX = 64,
    PROCESS_TIES_MAX = 1 << 18,
    CONNECTIONS_MAX = 1 << 12,
    NODE_WATCHES_MAX = 1 << 14,
};

/* What a process does. */
enum process_verb {
    VERB_SEND = 0,
    VERB_RECEIVE,
    VERB_SLEEP,
    VERB_YIELD,
    VERB_SPAWN,
    VERB_IS_ALIVE,
    VERB_EXIT,
    VERB_KILL,
    VERB_LINK,
    VERB_UNLINK,
    VERB_TRAP_EXIT,
    VERB_MONITOR,
    VERB_DEMONITOR,
    VERB_REGISTER,
    VERB_UNREGISTER,
    VERB_WHEREIS,
    VERB_CALL,
    VERB_REPLY,
    VERB_MONITOR_NODE,
    VERB_NODE_STOP,
    VERB_NODE_CRASH,
    VERB_NODE_RESTART,
    VERB_FOREIGN,
    VERB_SUBMIT,
    VERB_CANCEL,
    VERB_AWAIT,
    VERB_TAKE,
    VERB_RUN,
    VERB_FINISH,
    VERB_CONNECT,
    VERB_CONNECTED,
    VERB_LISTEN,
    VERB_ACCEPT,
    VERB_READ,
    VERB_WRITE,
    VERB_SHUTDOWN,
    VERB_CLOSE,
    VERB_POLL,
    VERB_LOCK,
    VERB_LOCK_TO_READ,
    VERB_LOCK_TO_WRITE,
    VERB_TRY_LOCK,
    VERB_UNLOCK,
    VERB_WAIT_ON,
    VERB_WOKEN_BY,
    VERB_SIGNAL,
    VERB_BROADCAST,
    VERB_POST,
    VERBS,
};

/* What the announced operation is about, for those who look at it: on the stack of the process. */
struct process_request {
    const struct sn_event *event; /* that is sent; NULL: bytes, or none is */
    const void *payload;
    size_t size;
    sn_id whom;       /* SN_NOBODY: nobody */
    const char *text; /* a name, a reason; NULL: none */
    const char *name; /* that it is about, ... */
    sn_node node;     /* ... on this node; or the node that it is about */
    uint8_t about;    /* enum process_about */
    bool is_reading;
};

/* What most of an operation's conflicts are over. */
enum process_about {
    ABOUT_ITSELF = 0,
    ABOUT_MAILBOX, /* of `whom` */
    ABOUT_LIFE,    /* of `whom` */
    ABOUT_NAME,
    ABOUT_NODE,
};

struct process_wait;
struct sn_pool;
struct sn_job;

enum process_life {
    PROCESS_NEW = 0, /* its first step is pending */
    PROCESS_ALIVE,
    PROCESS_ENDED,
};

/* What each step needs comes first, in two cache lines. */
struct process {
    _Alignas(64) struct fiber *fiber; /* NULL: it has not started, or has ended */
    const struct process_request *request;
    /* What the pending receive waits for; both NULL: any message. */
    sn_match *match;
    const void *with;
    const struct sn_event *wanted;
    uint32_t task;
    uint32_t source;
    uint32_t first; /* messages are operations that wait in no source: a list */
    uint32_t last;
    uint32_t found; /* the message that the pending receive will take; 0: there is none yet */
    uint32_t held;  /* the one that was received last, until the next one is */
    struct sn_message message; /* that one */
    struct object mailbox;
    uint8_t life; /* enum process_life */
    bool is_receiving;
    bool is_timed : 1;  /* the pending receive ends without a message at its deadline */
    bool has_owner : 1; /* it is a task of a component */
    bool is_trapping : 1;
    bool asks_for_posts : 1; /* it has asked for callbacks: see post.h */
    bool has_returned : 1;   /* its function has */
    bool is_leaving;         /* its exit is announced */
    uint32_t site; /* where in the code its last call was made; 0: its function has returned */
    /* Steps need nothing of what follows. */
    const char *leaves_with;   /* the reason of that exit */
    struct process_wait *wait; /* what for it waits other than messages; NULL: it does not */
    uint32_t next_waiting;     /* a list of those */
    uint32_t owner; /* the component that it is a task of, whose memory it shares; 0: of none */
    uint64_t deadline_ns; /* of the pending receive; SN_FOREVER: none */
    const struct sn_process *type;
    uint64_t path; /* who it is: what has spawned it, and as which of its children */
    uint32_t n_spawned;
    uint32_t creator;  /* a task; 0: the test */
    const void *birth; /* the payload it was spawned with, in the trial's memory */
    uint32_t slot;     /* of its stack, from 1 */
    uint32_t name;     /* that it has; 0: none */
    uint32_t owned;    /* ties: its monitors, and links it has made; a list, the oldest first */
    uint32_t watched;  /* ties of others with it; the same */
    struct object living;
    struct object calling;       /* whether it has a name */
    const char *reason;          /* that it ends with in the running step */
    struct process *next_ending; /* the next one that does */
};

/* Makes it a task of a component, or of none (0). */
static inline void process_set_owner(struct process *p, uint32_t owner)
{
    p->owner = owner;
    p->has_owner = owner != 0;
}

static_assert(offsetof(struct process, leaves_with) == 128 && sizeof(struct process) == 256,
              "with thousands of processes, each line more is one that no cache knows");

/* A link or a monitor. */
struct tie {
    sn_ref ref; /* of a monitor */
    uint32_t owner;
    uint32_t target; /* both are tasks */
    uint32_t next_owned;
    uint32_t next_watched;
    uint8_t kind;     /* enum tie_kind */
    bool is_answered; /* of a call */
};

enum tie_kind { TIE_FREE = 0, TIE_LINK, TIE_MONITOR, TIE_CALL };

struct process_name {
    struct object object;
    uint32_t holder; /* a task; 0: nobody */
    sn_node node;
    char text[PROCESS_NAME_MAX];
};

/* A type of process as one of machines, for all who only want its name. */
struct process_type {
    const void *of; /* that, or a supervisor, ... */
    uint32_t slot;  /* where its number stands */
    struct sn_machine as_machine;
    struct sn_process supervisor; /* ... which is run by processes of this type */
};

/* Two nodes that have been disconnected. */
struct connection {
    struct object object;
    bool is_broken;
};

/* A process that is told of a node. */
struct node_watch {
    uint32_t task;
    sn_node node;
};

struct process_numbers {
    uint32_t free_tie;
    struct sn_pool *pools;  /* that nodes have: a list */
    struct sn_job *works;   /* whose last callback was not called: a list */
    uint32_t first_waiting; /* see struct process */
    uint32_t free_slot;     /* the head of a list of stacks that are not in use; 0: there is none */
    bool has_spoken;        /* an operation was called by a phrase */
};

struct processes {
    const struct process *matching; /* whose match function is running; NULL: none */
    struct process_numbers now;
    _Alignas(64) struct process all[PROCESSES_MAX];
    struct tie ties[PROCESS_TIES_MAX];
    struct process_name names[PROCESS_NAMES_MAX];
    struct process_type types[PROCESS_TYPES_MAX];
    uint32_t next_slot[HEAP_TASKS + 1]; /* of stacks that are not in use */
    struct connection connections[CONNECTIONS_MAX];
    struct node_watch watches[NODE_WATCHES_MAX];
    struct lock locks[LOCKS_MAX];
    /* Finds names; needs no saving: what a slot says is checked. See source_link. */
    uint32_t name_slots[2 * PROCESS_NAMES_MAX];
    uint32_t slot_of_name[PROCESS_NAMES_MAX];
    uint32_t type_slots[PROCESS_TYPE_SLOTS]; /* the same for types */
    /* Find locks and what they are called: no saving either. */
    uint16_t lock_slots[LOCK_NAMES];
    struct lock_name lock_names[LOCK_NAMES];
    /* Not restored either. */
    struct sockets *sockets; /* sockets.c's */
    struct callsites sites;
    struct ranked ranked[TRIAL_TASKS_MAX]; /* of use only within a step */
    /* Not restored either: see foresight.h. */
    struct foresight foresight;
    struct foreseen foreseen[PROCESSES_MAX];
    struct phrases phrases; /* nor is this: what they are called does not depend on it */
};

/* Makes the process substrate part of a trial. 0, or SN_ENOMEM. */
int processes_join(struct trial *t, struct err *why);
void processes_leave(struct trial *t);

/* Forgets types and events: another test may have others at the same addresses. */
void processes_forget(struct trial *t);

/* From now on the trial has processes, or what belongs to them. */
void processes_use(struct trial *t);

static inline bool processes_are_used(const struct trial *t)
{
    return t->now.n_own[OWN_PROCESSES] != 0;
}

static inline bool process_is(const struct trial *t, uint32_t task)
{
    return (t->tasks[task].flags & TASK_PROCESS) != 0;
}

/* The process that a task is. */
static inline struct process *process_of(const struct trial *t, uint32_t task)
{
    return &t->processes->all[t->tasks[task].own];
}

/* Whether what sn_foreign has called is running. */
static inline bool process_is_in_foreign(const struct trial *t)
{
    return t->fiber != NULL && t->machines->actor != NULL && t->now.task != 0 &&
           t->machines->actor->task == t->now.task;
}

/* ---- process.c ------------------------------------------------------------------------------ */

/* Of functions that only a public one calls: __builtin_return_address is then where that was called
 * from. */
#define PUBLIC_PART static inline __attribute__((always_inline))

struct process *process_find_running(struct trial **t, const char *function);
struct trial *process_find_acting(struct process **out, const char *function);

/* What a process announces next is done there. */
static inline void process_called_from(struct trial *t, struct process *p, void *address)
{
    p->site = callsite_of(&t->processes->sites, __builtin_extract_return_addr(address));
}

/* The running trial, in which a process is running: its operations are announced. */
PUBLIC_PART struct process *process_running(struct trial **t, const char *function)
{
    struct process *p;

    *t = trial_here();
    p = likely(*t != NULL && (*t)->may_act == ACTS_IN_TURN) ? (*t)->process
                                                            : process_find_running(t, function);
    process_called_from(*t, p, __builtin_return_address(0));
    return p;
}

/* The running trial. *out is the process that is running; NULL: the test or a machine is, which act
 * at once. */
PUBLIC_PART struct trial *process_acting(struct process **out, const char *function)
{
    struct trial *t = process_find_acting(out, function);

    if (*out != NULL)
        process_called_from(t, *out, __builtin_return_address(0));
    return t;
}

extern const struct sn_event process_verbs[VERBS] __attribute__((visibility("hidden")));

/* What an operation is called: by a verb alone, ... */
static inline const struct sn_event *process_phrase(enum process_verb verb)
{
    return &process_verbs[verb];
}

/* ... with the name of an event, known by an address and a hash that stand for both, ... */
static inline const void *process_phrase_of(enum process_verb verb, const struct sn_event *event)
{
    return (const char *)event + verb;
}

static inline uint64_t process_phrase_hash(enum process_verb verb, const struct sn_event *event)
{
    return ((uintptr_t)event >> 4) + verb;
}

const struct sn_event *process_phrase_event_slowly(struct trial *t, enum process_verb verb,
                                                   const struct sn_event *event);

static inline const struct sn_event *process_phrase_event(struct trial *t, enum process_verb verb,
                                                          const struct sn_event *event)
{
    const struct phrases *known = &t->processes->phrases;
    const struct phrase *phrase = phrases_guess(known, process_phrase_hash(verb, event));

    if (likely(phrase->of == process_phrase_of(verb, event) &&
               phrase->hash == process_phrase_hash(verb, event) && t->processes->now.has_spoken))
        return &phrase->event;
    return process_phrase_event_slowly(t, verb, event);
}

/* ... or with another text. */
const struct sn_event *process_phrase_text(struct trial *t, enum process_verb verb,
                                           const char *text);

const struct sn_event *process_phrase_whole(struct trial *t, const char *text);

/* Announces the next operation of the running process, and returns when it is being performed. */
void process_announce(struct trial *t, struct process *p, const struct sn_event *what,
                      const struct process_request *request);

/* The same for a spawn; nothing happens if p is NULL. */
void process_announce_spawn(struct trial *t, struct process *p, const struct sn_process *type);

/* Suspends the running process, whose next operation is announced, until that is performed. */
static inline void process_park(struct trial *t, struct process *p)
{
    trial_suspend(t, p->fiber);
}

/* process_announce where it matters how long that takes. Each function that has been called when
 * the process is suspended has to be returned from afterwards, which processors are bad at. */
static inline __attribute__((always_inline)) void
process_announce_here(struct trial *t, struct process *p, const struct sn_event *what,
                      const struct process_request *request)
{
    uint32_t number = machine_announce(t, SN_OP_PROCESS, p->task, what);

    t->ops[number].site = p->site;
    t->ops[number].size = 0;
    t->ops[number].payload = 0;
    p->request = request;
    source_append_ready(t, p->source, number);
    process_park(t, p);
    p->request = NULL;
}

/* Performs an operation of a process; its first one. */
void process_perform(struct trial *t, struct sn_op *op);
void process_start(struct trial *t, struct sn_op *op);

/* The type of processes that run a supervisor: the same whenever it is asked for. */
struct sn_process *process_supervisor_type(struct trial *t, const void *supervisor);

/* Makes a process on a node, 0: on none. Returns its task. */
uint32_t process_new(struct trial *t, uint32_t node, const struct sn_process *type,
                     const void *payload);

/* One that has ended begins anew, with nothing but its type and payload. */
void process_rebirth(struct trial *t, struct process *p, uint32_t creator);

/* Gives back the stack of one that is not running. */
void process_free_stack(struct trial *t, struct process *p);

/* Checks that a process exists. */
void process_check_id(struct trial *t, sn_id id, const char *function);

/* Writes what a pending operation of a process is about. */
void process_describe(struct trial *t, const struct sn_op *op, struct sn_text *out);

/* The message that an operation of a process, which is about to be performed, receives; NULL: none.
 */
const struct sn_op *process_taken(const struct trial *t, const struct sn_op *op);

/* What such an operation sends: its event and size in *as, its bytes; NULL: it sends none. */
const void *process_sends(const struct trial *t, const struct sn_op *op, struct sn_op *as);

/* ---- mailbox.c ------------------------------------------------------------------------------ */

/* A message that is about to be put into a mailbox. */
struct letter {
    uint32_t to;
    uint32_t from;
    const struct sn_event *event;
    const void *payload;
    size_t size;
    sn_ref call;
    bool is_answer; /* to this call: dropped if that is over */
    bool is_copy;   /* it comes a second time because of a fault */
};

/* As sn_receive, within another call: what is announced is done where that was called. */
const struct sn_message *mailbox_receive(struct trial *t, struct process *p, sn_match *match,
                                         const void *with, uint64_t timeout_ns);

/* The running step puts a message into a mailbox, unless the process has ended. */
void mailbox_put(struct trial *t, const struct letter *letter);

/* The same from the running task, if the process can be reached and no fault strikes the message.
 */
void mailbox_post(struct trial *t, const struct letter *letter);
void mailbox_send(struct trial *t, sn_id to, const struct sn_event *event, const void *payload,
                  size_t size);

/* The running process announces that it sends, and does. */
void mailbox_speak(struct trial *t, sn_id to, const struct sn_event *event, const void *payload,
                   size_t size);

/* The same for sn_send, which that was called from. Nobody but a process may have called it. */
void mailbox_speak_from(sn_id to, const struct sn_event *event, const void *payload, void *caller);

/* When a delay of the running process is over; time has come so far, at least for it. */
uint64_t process_deadline(struct trial *t, const struct process *p, uint64_t delay_ns);
void process_reach(struct trial *t, const struct process *p, uint64_t deadline_ns);

/* Announces what waits for a deadline, unless it can run before. */
void process_append_timed(struct trial *t, struct process *p, uint32_t number,
                          uint64_t deadline_ns);

/* The running process sleeps. */
void process_sleep(struct trial *t, struct process *p, uint64_t ns);

/* Forgets all messages of a process. */
void mailbox_clear(struct trial *t, struct process *p);

/* Removes the first message for which `is_gone` holds. */
bool mailbox_remove(struct trial *t, struct process *p,
                    bool (*is_gone)(struct trial *t, const struct sn_op *op, const void *self),
                    const void *self);

/* ---- wait.c --------------------------------------------------------------------------------- */

/* What a process waits for other than messages: on its stack. */
struct process_wait {
    /* Whether it is over. Only looks; may be called whenever something has changed. */
    bool (*is_over)(struct trial *t, const void *self);
    const void *self;
    const struct object *object; /* that it looks at, if others may take what it waits for */
    const char *what;            /* in words, for a trial that ends in it, ... */
    /* ... or that are found then; NULL: `what` are all */
    void (*describe)(struct trial *t, const void *self, struct sn_text *out);
    bool may_be_ever;  /* ... which is no failure */
    bool is_for_one;   /* what it waits for is gone when another has taken it */
    uint64_t until_ns; /* a deadline, SN_FOREVER: none; filled in by process_wait_for */
};

/* The running process announces an operation, and waits in it until what it waits for is there.
 * False: the time is over without it. Whoever changes what it looks at calls process_wake. */
bool process_wait_for(struct trial *t, struct process *p, const struct sn_event *what,
                      const struct process_request *request, struct process_wait *wait,
                      uint64_t timeout_ns);

/* Something has changed: those for whom the waiting is over can go on. */
void process_wake(struct trial *t);

/* Something was taken: those that could have taken it and cannot any more wait on. */
void process_calm(struct trial *t);

/* A process that waits does so no more, because it has ended. */
void process_unwait(struct trial *t, struct process *p);

/* ---- exits.c -------------------------------------------------------------------------------- */

/* The running process begins to watch another one, SN_NOBODY: one that is not there; ends that. */
sn_ref exits_watch(struct trial *t, struct process *self, uint32_t id, enum tie_kind kind);
bool exits_unwatch(struct trial *t, struct process *self, sn_ref ref, bool is_flushing);

/* The same for what cannot be reached: the answer comes at once. */
sn_ref exits_watch_nobody(struct trial *t, struct process *self, const char *reason);

/* A monitor of a process, or a call; 0: there is no such thing, or no more. */
uint32_t exits_find_ref(struct trial *t, const struct process *p, sn_ref ref);

/* An answer comes to a call of a process. False: the call is over. */
bool exits_answer(struct trial *t, const struct process *p, sn_ref ref);

/* The running step depends on whether what watches a process still stands. */
void exits_look(struct trial *t, uint32_t id);

/* Ends all processes of a node, which is down, and what ties others to them. */
void exits_end_node(struct trial *t, sn_node node);

/* Nodes are not joined any more: ends all links and monitors between processes of such nodes. */
void exits_cut_ties(struct trial *t);

/* The running step has done all that it does. If that has ended the running process, the call does
 * not return. */
void exits_settle(struct trial *t);

/* Ends a process for a reason, and those that end with it. */
void exits_end(struct trial *t, struct process *p, const char *reason);

/* The running process ends by itself. */
void exits_leave(struct trial *t, struct process *p, const char *reason) __attribute__((noreturn));

/* ---- calls.c -------------------------------------------------------------------------------- */

/* Says which answer a process waits for. False: it waits for none. */
bool calls_describe(struct trial *t, const struct process *p, struct sn_text *out);

/* ---- registry.c ----------------------------------------------------------------------------- */

/* A process has ended, and its name is free. */
void registry_release(struct trial *t, struct process *p);

/* What a name of a node is known by. */
uint64_t registry_id(sn_node node, const char *name);

/* The task that has a name, which the running step has asked for; 0: nobody. */
uint32_t registry_find(struct trial *t, sn_node node, const char *name);

/* Fails the trial if this is no name. */
void registry_check(struct trial *t, const char *name, const char *function);

/* ---- deadlock.c ----------------------------------------------------------------------------- */

/* Fails the trial if processes wait for ever. */
void process_judge(struct trial *t, bool at_limit);

/* ---- connections.c -------------------------------------------------------------------------- */

/* Fails the trial if there is no such node. */
void connections_check(struct trial *t, sn_node node, const char *function);

/* Whether a node, or the one that a process is on, can be reached from that of the running task. */
bool connections_reach(struct trial *t, sn_node node);
bool connections_reach_task(struct trial *t, uint32_t task);

static inline bool connections_reach_process(struct trial *t, uint32_t task)
{
    return likely(t->now.n_own[OWN_ENVIRONMENT] == 0) || connections_reach_task(t, task);
}

/* The running step tells one of the end of another that it is tied to. Had their nodes been
 * separated before, it would have been told of that instead. */
void connections_signal_far(struct trial *t, uint32_t from, uint32_t to);

static inline void connections_signal(struct trial *t, uint32_t from, uint32_t to)
{
    if (unlikely(t->now.n_own[OWN_ENVIRONMENT] != 0))
        connections_signal_far(t, from, to);
}

/* Whether two nodes, which may be the same or none, are up and see each other. No step depends on
 * that because of this question. */
bool connections_join(const struct trial *t, sn_node a, sn_node b);

/* A process has ended: it watches no nodes. */
void connections_forget(struct trial *t, uint32_t task);

/* A node goes down, or has come up. */
void connections_take_down(struct trial *t, sn_node node);
void connections_bring_up(struct trial *t, sn_node node);

/* The network is cut in another way than before. */
void connections_cut(struct trial *t, uint64_t before);

#endif

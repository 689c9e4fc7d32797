/* sennit/machine.h - communicating state machines, and plain nodes with callbacks.
 *
 * A test describes events, states and machines as constant tables, creates machines, and lets
 * them send events to each other. Nothing here names a scheduler: the engine that tests machines
 * is one implementation of this header, a runtime that runs them for real can be another.
 *
 * docs/machines.md defines the semantics. Unless a comment says otherwise the functions may only be
 * called from inside a trial: from a test's run function, a handler, or an entry or exit action.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_MACHINE_H
#define SENNIT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A machine of the running trial. Valid until the trial ends; 0 is nobody. Ids are given in the
 * order of creation: a test must not depend on which of two is the smaller one, because searches
 * take it that who creates machines at the same time does not notice each other. */
typedef uint32_t sn_id;

/* A started timer of the running trial; 0 is none. */
typedef uint64_t sn_timer;

#define SN_NOBODY ((sn_id)0)

/* Where printers write. Owned by the caller of the printer. */
struct sn_text;

/* Appends formatted text (as printf). Longer output than the line has room for is cut and marked.
 */
void sn_print(struct sn_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends the name of a machine, as it appears in traces. */
void sn_print_id(struct sn_text *out, sn_id machine);

/* ---- Events --------------------------------------------------------------------------------- */

/* How a field of a payload is printed. */
enum sn_field_type {
    SN_INT = 1, /* signed integer of 1, 2, 4 or 8 bytes */
    SN_UINT,    /* unsigned integer */
    SN_HEX,     /* unsigned integer in hexadecimal */
    SN_BOOL,    /* true or false */
    SN_MACHINE, /* an sn_id, printed as the machine's name */
    SN_ENUM,    /* unsigned integer, printed as names[value] */
    SN_SET,     /* unsigned integer as a set of bits: {0,2} */
    SN_TEXT,    /* char array, up to its first zero byte */
    SN_BYTES,   /* anything, in hexadecimal */
};

/* One field of a payload. A table of fields ends with an entry without a name. */
struct sn_field {
    const char *name;
    enum sn_field_type type;
    uint32_t offset;
    uint32_t size;            /* of one element, in bytes */
    uint32_t count;           /* of elements; 0 means one */
    const char *const *names; /* for SN_ENUM; ends with NULL */
};

/* What follows fills in fields. C++ before C++20 has no designated initialisers, and so gets the
 * members in order. */
#ifdef __cplusplus
#define SN_FIELD_INIT_(name_, how_, offset_, size_, count_, names_)                                \
    {                                                                                              \
        name_, how_, (uint32_t)(offset_), (uint32_t)(size_), (uint32_t)(count_), names_            \
    }
#else
#define SN_FIELD_INIT_(name_, how_, offset_, size_, count_, names_)                                \
    {                                                                                              \
        .name = name_, .type = (how_), .offset = (uint32_t)(offset_), .size = (uint32_t)(size_),   \
        .count = (uint32_t)(count_), .names = names_                                               \
    }
#endif
#define SN_SIZE_OF_(type_, member_) sizeof(((type_ *)0)->member_)

/* Describes one member of a payload: SN_FIELD(struct ping, round, SN_INT). */
#define SN_FIELD(type_, member_, how_)                                                             \
    SN_FIELD_INIT_(#member_, how_, offsetof(type_, member_), SN_SIZE_OF_(type_, member_), 0, NULL)

/* Describes a member that is an array of integers, booleans or machines. */
#define SN_FIELD_ARRAY(type_, member_, how_)                                                       \
    SN_FIELD_INIT_(#member_, how_, offsetof(type_, member_), SN_SIZE_OF_(type_, member_[0]),       \
                   SN_SIZE_OF_(type_, member_) / SN_SIZE_OF_(type_, member_[0]), NULL)

/* Describes a member that is an integer printed as names_[value]; names_ ends with NULL. */
#define SN_FIELD_ENUM(type_, member_, names_)                                                      \
    SN_FIELD_INIT_(#member_, SN_ENUM, offsetof(type_, member_), SN_SIZE_OF_(type_, member_), 0,    \
                   names_)

/* A type of event. Events are compared by the address of their type: define each one once. */
struct sn_event {
    const char *name;
    size_t size;                   /* bytes of its payload, copied when sent; 0 means none */
    const struct sn_field *fields; /* how to print the payload; NULL: print, or else hexadecimal */
    void (*print)(struct sn_text *out, const void *payload);
    /* A number that tells events of this type apart where people name them, as in "deliver Put to
     * Store key 3" (docs/requiring.md): a function of the payload alone, which must not call the
     * library. NULL: there is none. */
    uint64_t (*key)(const void *payload);
};

/* In a state's table: matches every event that no other entry of the state names. */
extern const struct sn_event sn_any;

/* Halts the receiver unless its state has an entry for it. It can be sent and raised as any other.
 */
extern const struct sn_event sn_halt_event;

/* ---- States and machines -------------------------------------------------------------------- */

struct sn_state;

typedef void sn_handler(void *self, const void *payload);

/* What a state does with one type of event. Give `run` alone, or one of the others; `run` may be
 * combined with go_to (between the exit action of the old state and the entry action of the new
 * one). A table ends with an entry without an event. */
struct sn_on {
    const struct sn_event *event;
    sn_handler *run;
    const struct sn_state *go_to; /* leave this state for another one */
    const struct sn_state *push;  /* enter another state on top of this one */
    bool pop;                     /* leave a pushed state, back to the one below */
    bool defer;                   /* keep the event until a state does not defer it */
    bool ignore;                  /* drop the event */
    bool halt;                    /* end the machine */
};

/* Whether a monitor may rest in a state (machines leave this at 0). */
enum sn_temperature {
    SN_PLAIN = 0, /* neither heats nor cools */
    SN_COLD,      /* what should happen has happened */
    SN_HOT,       /* something must still happen: ending a trial here is a bug */
};

struct sn_state {
    const char *name;
    sn_handler *entry; /* gets the payload of the event that led here; at birth, the creation's */
    void (*exit)(void *self);
    const struct sn_on *on; /* NULL: the state handles nothing */
    enum sn_temperature temperature;
    bool must_leave; /* a trial that ends with a machine in this state is a deadlock */
};

/* A type of machine. Either `start` is given (a state machine) or `on_message` is (a plain node:
 * bytes in, bytes out, no states). */
struct sn_machine {
    const char *name;
    size_t size; /* bytes of `self`, zeroed when the machine is created */

    const struct sn_state *start;
    const struct sn_event *birth; /* describes the payload given to sn_create; NULL: none */

    void (*on_start)(void *self, const void *payload); /* may be NULL */
    void (*on_message)(void *self, sn_id from, const void *bytes, size_t n);
    void (*on_timer)(void *self, uint64_t tag); /* may be NULL if no timer is used */
    void (*print_message)(struct sn_text *out, const void *bytes, size_t n); /* NULL: hexadecimal */

    /* A hash of everything in `self`, and of what it points to, that decides what the machine will
     * do; times relative to sn_now_ns, which may be called. If all machines that have memory have
     * one, a trial that comes back to a state with a monitor hot is noticed (docs/liveness.md), and
     * a bounded search can remember states: delay:D:cache in docs/strategies.md. */
    uint64_t (*fingerprint)(const void *self);

    /* How traces and reports show what a machine or a monitor remembers, after each step that
     * changed it: members of `self` (a table, as of an event), or whatever `print` prints, which
     * must not change anything. NULL: nothing is shown. */
    const struct sn_field *fields;
    void (*print)(struct sn_text *out, const void *self);
};

/* Creates a machine. Its first step, which runs the entry action of its start state (or on_start)
 * with a copy of the payload, is an operation of its own; events that reach it earlier wait.
 * The payload must be given exactly if type->birth has one. Type must outlive the trial. Returns
 * the new machine. */
sn_id sn_create(const struct sn_machine *type, const void *payload);

/* Names a machine in traces; without it a machine is called after its type and a number counted
 * within the type. Cheap when no trace is being recorded. */
void sn_set_name(sn_id machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a machine, for messages: as in traces, once the trial is run again to be recorded.
 * Owned by the trial; valid until the fourth call after this one. */
const char *sn_name(sn_id machine);

/* The machine that is running; SN_NOBODY in the test's run function. */
sn_id sn_self(void);

/* The machine that sent the event being handled; for a timer the machine itself, for the first step
 * its creator (SN_NOBODY if that was the test). */
sn_id sn_sender(void);

/* Sends an event: copies payload (event->size bytes; NULL if that is 0) and returns. Events from
 * one machine to another arrive in the order sent, unless the test says otherwise (test->links);
 * nothing else is promised. Events for a machine that has halted are dropped. */
void sn_send(sn_id to, const struct sn_event *event, const void *payload);

/* Sends n bytes to a plain node. */
void sn_send_bytes(sn_id to, const void *bytes, size_t n);

/* The following take effect when the running action returns. At most one of them in one action. */
void sn_goto(const struct sn_state *state); /* leave the current state for another */
void sn_push(const struct sn_state *state); /* enter a state on top of the current one */
void sn_pop(void);                          /* leave a pushed state */
void sn_raise(const struct sn_event *event, const void *payload); /* handle this next, at once */
void sn_halt(void); /* end this machine: what was sent to it is dropped */

/* ---- Timers and time ------------------------------------------------------------------------ */

/* After delay_ns of virtual time sends `event` (payload copied) to the running machine. Virtual
 * time passes only when nothing else can happen; with test->timers == SN_TIMERS_ANY a started timer
 * may fire at any moment. Fires once: start it again for a period. Returns the timer, which
 * sn_timer_cancel takes. */
sn_timer sn_timer_start(const struct sn_event *event, uint64_t delay_ns, const void *payload);

/* Starts a timer that may fire at any moment, whatever the test says. Returns the timer. */
sn_timer sn_timer_start_any(const struct sn_event *event, const void *payload);

/* Starts a timer of a plain node: on_timer(tag) is called after delay_ns. Returns the timer. */
sn_timer sn_timer_start_tag(uint64_t tag, uint64_t delay_ns);

/* Cancels a timer of the running machine. False if it has fired or was cancelled already. */
bool sn_timer_cancel(sn_timer timer);

/* Virtual time since the trial began, as the clock of the running machine's node shows it; in a
 * monitor, true time. */
uint64_t sn_now_ns(void);

/* ---- The test's own nondeterminism, memory, output ------------------------------------------ */

/* A value in 0 .. n-1, decided by the strategy and kept in the log. The label names the decision in
 * traces; 0 should be the simplest or most ordinary answer. n must be at least 1. */
uint64_t sn_choose(const char *label, uint64_t n);

/* True or false: sn_choose(label, 2) as a boolean. */
bool sn_maybe(const char *label);

/* Zeroed memory that lives until the trial ends; never freed by the caller, never NULL. */
void *sn_alloc(size_t n);

/* A remark in the trace, at the running step. Cheap when no trace is being recorded. */
void sn_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- What is right -------------------------------------------------------------------------- */

/* Ends the trial as failed if the condition is false. C's assert() does the same in a trial. */
#define sn_assert(cond_) ((cond_) ? (void)0 : sn_assert_failed(__FILE__, __LINE__, #cond_, NULL))

/* sn_assert with a message (as printf) that says what was found instead. */
#define sn_assertf(cond_, ...)                                                                     \
    ((cond_) ? (void)0 : sn_assert_failed(__FILE__, __LINE__, #cond_, __VA_ARGS__))

/* What the macros call; does not return inside a trial, aborts outside. */
void sn_assert_failed(const char *file, int line, const char *expression, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));

/* Hands an event to the monitor of this type, which handles it before the call returns. Monitors
 * are machines listed in test->monitors: they receive only, and are found by their type. Without
 * such a monitor in the test the call does nothing. */
void sn_monitor(const struct sn_machine *monitor, const struct sn_event *event,
                const void *payload);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

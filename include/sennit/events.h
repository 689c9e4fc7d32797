/* sennit/events.h - recorded events: every interleaving of what a test does with a replicated data
 * library.
 *
 * A test of an application makes its replicas, marks a segment, and calls the library in between.
 * The calls are not performed there but recorded, by wrappers that stand between the application
 * and the library; each becomes an operation of the trial, and the strategy decides in which order
 * they happen. When all have, the test's own assertions are run.
 *
 *     sn_replica(&a, "A", print_set);
 *     sn_replica(&b, "B", print_set);
 *     sn_events_begin(NULL);
 *     set_add(&a, "otb");
 *     set_apply(&b, set_make(&a));
 *     sn_events_end(check);
 *
 * Wrappers are written by `sennit events --wrap` from a list of the library's functions, and put in
 * between by the linker (-Wl,--wrap=set_add): neither library nor application is changed.
 * docs/events.md has all of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_EVENTS_H
#define SENNIT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct sn_text;

/* ---- Marking -------------------------------------------------------------------------------- */

/* What is checked after each interleaving, beside the test's own assertions. */
enum sn_expectation {
    /* Replicas that were delivered the same updates have the same state. */
    SN_EXPECT_CONVERGENCE = 1,
    /* A message that is applied once more changes nothing. */
    SN_EXPECT_IDEMPOTENCE = 2,
    /* The state of each replica that is watched (all, if none is) is what it was as recorded. */
    SN_EXPECT_SAME_STATES = 4,
    /* Each query returns what it returned as recorded. */
    SN_EXPECT_SAME_RESULTS = 8,
    /* No state that is a JSON array has an element twice. */
    SN_EXPECT_NO_DUPLICATES = 16,
    /* Updates of the same name that return something, as new ids, never return the same. */
    SN_EXPECT_UNIQUE_RESULTS = 32,
};

/* How the events of a segment are ordered, pruned and judged: docs/events.md. Zeroed is the
 * default. Texts are as after the options of `sennit events`. */
struct sn_events {
    uint32_t expect;         /* enum sn_expectation */
    bool is_free;            /* any order, even before its cause: --order free */
    bool is_fifo;            /* messages of a link arrive in order: --fifo */
    const char *prune;       /* NULL means "all" */
    const char *watch;       /* NULL: all of every replica counts */
    const char *constraints; /* JSON; NULL: none */
};

/* Says that an object is a replica. `print` writes its state as JSON, equal for equal states; NULL:
 * it has no state that could be compared. To be called in the test's run function, before
 * sn_events_begin. */
void sn_replica(const void *object, const char *name,
                void (*print)(struct sn_text *out, const void *object));

/* Begins the segment, in the test's run function. `how` is copied; NULL: the default. */
void sn_events_begin(const struct sn_events *how);

/* Ends it. `check` is called after all events of a trial have happened, and asserts what must hold;
 * it may be NULL. */
void sn_events_end(void (*check)(void));

/* The next event need not keep to the order in which its replica's events are called. */
void sn_event_free(void);

/* ---- Wrapping ------------------------------------------------------------------------------- */

enum sn_event_kind {
    SN_EVENT_UPDATE = 1, /* changes a replica; if it returns a message, that can be delivered */
    SN_EVENT_QUERY,      /* looks at a replica */
    SN_EVENT_REQUEST,    /* a replica makes a message for another one */
    SN_EVENT_EXECUTE,    /* that message is applied there */
    SN_EVENT_DELIVER,    /* the message of an update is applied at another replica */
};

enum sn_arg_type {
    SN_ARG_INT = 1, /* signed integer of 1, 2, 4 or 8 bytes */
    SN_ARG_UINT,    /* unsigned integer */
    SN_ARG_BOOL,    /* true or false */
    SN_ARG_STRING,  /* const char *, copied when it is recorded; may be NULL */
    SN_ARG_MESSAGE, /* a pointer that a request or an update has returned */
    SN_ARG_POINTER, /* handed on as it is, and not shown */
};

/* One argument of a call, or its result: a member of the struct that holds them. */
struct sn_arg {
    enum sn_arg_type type; /* 0 ends a table */
    uint32_t offset;
    uint32_t size;
};

/* A function of the library that is recorded. Arguments and result are members of a struct. */
struct sn_event_op {
    const char *op;
    enum sn_event_kind kind;
    uint32_t size;             /* of the struct */
    uint32_t replica;          /* offset of the pointer to the replica that it is called with */
    const struct sn_arg *args; /* other arguments; ends with an entry without a type */
    struct sn_arg result;      /* without a type: there is none */
    void (*run)(void *args);   /* calls the library, and keeps the result in the struct */
};

/* What a wrapper does: records the call if a segment is being recorded, and otherwise performs it.
 * When it returns, the struct has the result; in a segment, the one that the call had when the
 * segment was first run, in the order in which it is written. A message is a placeholder then: it
 * can be handed to other calls of the segment, and to nothing else. */
void sn_event_call(const struct sn_event_op *call, void *args);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

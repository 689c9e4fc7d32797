/* sennit/dependence.h - what a test knows of its steps: which of them depend on each other.
 *
 * Systematic strategies leave out schedules that differ only in the order of steps that do not
 * depend on each other. By themselves they take two steps of one machine to be dependent. A test
 * that knows better can say so (test->dependence), by functions or by keys. The fewer steps depend
 * on each other, the fewer schedules are run; a dependence that is there and is not told hides
 * bugs: docs/strategies.md says what must hold.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_DEPENDENCE_H
#define SENNIT_DEPENDENCE_H

#include <sennit/machine.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A step that was taken. */
struct sn_taken_step {
    uint64_t machine; /* who took it; the same number in every trial, and no sn_id */
    uint64_t from;    /* who sent the event, started the timer or created the machine */
    int kind;         /* enum sn_op_kind: a machine's first step, an event or bytes, a timer */
    const struct sn_event *event; /* NULL: there is none */
    const void *payload;          /* NULL: there is none */
    size_t size;
};

/* What liviola is told of one type of event: which part of the receiver's state it is about. */
struct sn_key {
    const struct sn_event *event;
    uint64_t (*key)(
        const void *payload); /* finds the key; NULL: it is a field of the payload, ... */
    uint32_t offset;          /* ... which begins here ... */
    uint32_t size;            /* ... and has so many bytes */
    bool any;                 /* no key is known: it may be about every part of the state */
    bool reads;               /* it changes nothing */
    bool excluded; /* it neither changes anything, nor sends anything, nor answers a client */
};

/* Each member may be NULL. */
struct sn_dependence {
    /* Whether the order of two steps matters; asked by dpor, transdpor and ired. Symmetric, and a
     * function of the two steps alone: it is called in trials and between them, at times of which
     * nothing is promised, must not call the library, and must not keep pointers. NULL: it does if
     * one machine takes both, or if they share something else that the library knows of. */
    bool (*dependent)(const struct sn_taken_step *a, const struct sn_taken_step *b);
    /* Whether a step made the other one possible: announced it. Asked by the same. NULL: the
     * library knows which step sent, started or created what. */
    bool (*enabled_by)(const struct sn_taken_step *later, const struct sn_taken_step *earlier);
    const struct sn_key *keys; /* for liviola; ends with an entry without an event */
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

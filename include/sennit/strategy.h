/* sennit/strategy.h - how decisions are taken, and how to take them yourself.
 *
 * A strategy is asked which pending operation runs next and which value a draw has. It sees
 * operations, never machines. Its state is one block of memory that the engine owns: no pointers to
 * memory of the test may be kept in it, because that memory is rolled back between trials.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SENNIT_STRATEGY_H
#define SENNIT_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* An operation that a task has announced and not yet performed. */
struct sn_op {
    uint64_t id;       /* derived from its cause: the same operation has it in every trial */
    uint32_t task;     /* who performs it, numbered in order of creation; the test itself is 0 */
    uint32_t from;     /* the task that announced it */
    uint32_t source;   /* the queue it waits in: a link between two tasks, or a timer */
    uint32_t cause;    /* the step that announced it; 0 is the start of the trial */
    const void *what;  /* its kind's own: for a delivery, the struct sn_event */
    uint64_t deadline; /* of a timer, in virtual nanoseconds; otherwise 0 */
    uint32_t payload;  /* the engine's own */
    uint32_t size;     /* of the payload, in bytes */
    uint32_t next;     /* the engine's own */
    uint32_t number;   /* grows from one operation to the next that the same step announces */
    uint16_t kind;     /* enum sn_op_kind */
    uint16_t flags;    /* enum sn_op_flags */
    uint32_t site;     /* of what blocks in the middle of code: where that is, the same in every
                        * trial of a build. Of the kinds below it is not set. */
} __attribute__((aligned(64)));

enum sn_op_flags {
    SN_OP_CONTINUES = 1, /* the first message (or start) that its cause announced: the two are links
                          * of one causal chain */
    SN_OP_ANY_TIME = 2,  /* a timer that may fire at any moment: virtual time need not come to its
                          * deadline first */
    SN_OP_COPY = 4,      /* a message that arrives a second time because of a fault */
};

enum sn_op_kind {
    SN_OP_START = 1, /* the first step of a machine */
    SN_OP_DELIVER,   /* an event or bytes reach a machine */
    SN_OP_TIMER,     /* a timer fires */
    SN_OP_FAULT,     /* something goes wrong, or comes right again: what is a struct sn_event that
                      * names it */
    SN_OP_PROCESS,   /* a process does something: what is a struct sn_event that names it, as in
                      * "send Ping" or "receive" */
};

/* The operations that can run now. */
struct sn_pending;

/* How many operations can run now: at least one when a strategy is asked. */
uint32_t sn_pending_count(const struct sn_pending *pending);

/* The i-th operation that can run now, i < count. The order is the same whenever the same decisions
 * led here, and means nothing else. Owned by the engine, valid during the call of pick. */
const struct sn_op *sn_pending_op(const struct sn_pending *pending, uint32_t i);

/* A value that the program under test asks for. */
struct sn_draw {
    const char *label;
    uint64_t n;    /* the answer must be below n; n >= 1 */
    uint32_t task; /* who asks */
    uint64_t key;  /* identifies (task, label, occurrence) in every trial */
};

/* How a trial ended, for a strategy that learns. */
struct sn_trial_end {
    uint64_t trial; /* its number */
    uint64_t steps;
    uint64_t own_steps; /* those that this strategy decided: all, unless another one took turns */
    uint64_t decisions; /* operations and draws: the length of the log */
    uint64_t order;     /* hash of the partial order: equal for equivalent trials */
    bool failed;
    bool cut; /* ended by a limit, not by itself */
};

/* A lesson has at most this many bytes. */
#define SN_LESSON_MAX 65536

struct sn_strategy {
    const char *name;  /* as in --strategy NAME or NAME:PARAMETERS */
    const char *about; /* one line for --help */
    size_t state_size; /* bytes of self; zeroed before init */
    bool is_fair; /* what stays enabled runs, sooner or later: a liveness monitor may be judged */
    bool learns;  /* trials depend on what `end` told of earlier ones: see seek */

    /* Parameters are what follows the colon, "" if nothing does. Returns 0, or -1 with a sentence
     * in error. NULL: no parameters are accepted and the seed is not needed. */
    int (*init)(void *self, const char *parameters, uint64_t seed, char *error, size_t error_size);

    /* A trial begins. False: there is nothing left to try. *keep, 0 at first, may be set to a
     * number of decisions of the trial before: the new trial repeats them without asking (the
     * engine restores memory or runs them again, which comes to the same), and asks from there on.
     */
    bool (*begin)(void *self, uint64_t trial, uint64_t *keep);

    /* Index of the operation to run. */
    uint32_t (*pick)(void *self, const struct sn_pending *pending);

    /* Value of a draw. NULL: always 0. */
    uint64_t (*draw)(void *self, const struct sn_draw *draw);

    /* An operation that this strategy picked has been performed. May be NULL. */
    void (*told)(void *self, const struct sn_op *op);

    /* A trial is over. May be NULL. */
    void (*end)(void *self, const struct sn_trial_end *end);

    /* The trial with this number is the next one to begin. A strategy that has this can be run by
     * several processes, each of which has a state of its own and runs some of the trials. Unless
     * it learns, a trial then depends on its number and the seed alone, and each process is told
     * only of the ends of its own trials. One that learns is told of all trials of an epoch, in
     * order, before any of the next one begins, and must not let them count before. Epochs begin
     * with the trials 0, 1, 2, 4, 8 and so on up to 256, and from there on with every 256th. NULL:
     * trials can only be run one after the other. */
    void (*seek)(void *self, uint64_t trial);

    /* Writes the state as bytes that load understands on any machine; returns how many there are,
     * and writes nothing if that is more than room. */
    size_t (*save)(const void *self, void *bytes, size_t room);

    /* Takes up a saved state. Returns 0, or -1 if the bytes are not one; self is unchanged then. */
    int (*load)(void *self, const void *bytes, size_t n);

    /* Asked when begin has returned false: has every schedule been run? NULL: the strategy makes no
     * such claim. */
    bool (*is_exhausted)(const void *self);

    /* Asked when is_exhausted has returned true: writes what that is limited to, as in "with at
     * most 2 delays", or nothing if it is about every schedule. NULL: it is. */
    void (*within)(const void *self, char *text, size_t size);

    /* Gives about half of the remaining work to `other`, an initialised state of the same strategy;
     * nothing is lost and nothing is done twice. Where there is no seek, it is the half that would
     * have come last. False: cannot be split now. May be NULL. */
    bool (*split)(void *self, void *other);

    /* The part of the search that is done, between 0 and 1, as far as can be told now; work that
     * was given away counts as done. Asked between trials. NULL: cannot be told. */
    double (*progress)(const void *self);
    /* More may turn out to be left than can be told: what progress says is the most that is done.
     */
    bool progress_is_most;

    /* For a strategy that learns more of a trial than its end says; both or neither, and only with
     * `learns` and `seek`. `lesson` is called after a trial in the process that ran it, whatever
     * its verdict: it writes what the trial has taught and returns how many bytes that is, at most
     * room, which is SN_LESSON_MAX or what strategies of the same trial have left of it. A trial
     * that took its process along leaves none. */
    size_t (*lesson)(void *self, void *bytes, size_t room);

    /* When an epoch is over, before any trial of the next one begins: a lesson of a trial of that
     * epoch, whoever ran it, in the order of the trials and without empty ones. What it changes may
     * count at once. Lessons of an epoch that a run leaves unfinished are saved with it, so that
     * the bytes may come from anywhere, as those of load: what they say must be checked. */
    void (*learn)(void *self, const void *bytes, size_t n);
};

/* Makes a strategy known by its name, before sn_main or sn_run. Keeps the pointer. Returns 0, or a
 * negative SN_E* if the name is taken or a required callback is missing. */
int sn_strategy_register(const struct sn_strategy *strategy);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* workers.h - the processes that run the trials of a run, and the one that looks after them.
 *
 * The parent runs no code under test. It starts workers, takes what they have done off the board in
 * the order of the trials, and starts another one where one has died: a crash is a failing trial
 * like any other. SPDX-License-Identifier: MIT
 */
#ifndef API_WORKERS_H
#define API_WORKERS_H

#include "api/pieces.h"
#include "substrate/coverage.h"

/* What the parent does with what it is told. */
struct workers_client {
    void *self;
    /* A trial has ended; trials come in order. `found`, whose log is among `findings`, is NULL if
     * it passed or is of a kind that is there already. False: nothing more is wanted. */
    bool (*trial)(void *self, uint64_t trial, const struct board_entry *entry,
                  const struct worker *worker, const struct findings *findings,
                  const struct worker_finding *found);
    /* Now and then. False: nothing more is wanted. */
    bool (*tick)(void *self);
    /* The state of a systematic search was kept anew: whoever wants to write it can. */
    void (*saved)(void *self);
};

struct workers {
    struct worker_job job;
    const struct workers_client *client;
    struct worker *list[WORKERS_MAX];
    uint32_t n;
    bool is_dealt;        /* trials are; otherwise the run is in pieces */
    bool is_over;         /* nobody is started any more */
    bool is_stopped;      /* by the client's tick */
    bool was_killed;      /* a worker, in a trial, and not by what it ran */
    uint64_t first_trial; /* of a run that goes on: the number of its first one */
    struct pieces pieces;
    unsigned char *scratch; /* PIECES_BEGINNING_BYTES */
    const struct strategies *strategies;
    struct counters counters;
    struct coverage coverage;          /* of workers that have ended */
    struct survey *survey;             /* by all of them */
    uint32_t idle_deaths[WORKERS_MAX]; /* in a row, without a trial between them */
    struct err why;
};

/* Prepares n workers, or one if that is all that can be of use, that begin with trial 0, on a board
 * that has its limit. 0, or SN_E*. */
int workers_open(struct workers *ws, uint32_t n, const struct worker_job *job,
                 const struct engine *like, struct err *why);

/* Whether a trial of one of them went beyond its first phase. */
bool workers_have_left_phase(const struct workers *ws);

/* Runs until all trials are taken off the board or the client wants no more. 0, or SN_E*. */
int workers_run(struct workers *ws);

void workers_close(struct workers *ws);

#endif

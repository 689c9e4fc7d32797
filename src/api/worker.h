/* worker.h - a process that runs some of the trials of a run.
 *
 * What the parent must know when the worker has died lies in memory that both share: its engine,
 * with the log of the trial that was running, the state of its strategies, and the logs of trials
 * that failed. SPDX-License-Identifier: MIT
 */
#ifndef API_WORKER_H
#define API_WORKER_H

#include "api/engine.h"
#include "api/tally.h"
#include "engine/board.h"
#include "engine/world/counters.h"
#include "substrate/survey.h"

#include <sys/types.h>

enum {
    WORKERS_MAX = 256,
    WORKER_FINDINGS_MAX = 64, /* kinds of failures of which a log is kept */
};

/* Room for the logs of a worker's findings, in decisions. */
#define WORKER_LOGS_MAX ((uint64_t)LOG_ENTRIES_MAX * 2)

struct worker_finding {
    struct finding finding;
    uint64_t kind;
    uint64_t log;       /* its decisions begin here ... */
    uint64_t decisions; /* ... and are so many */
    bool has_log;       /* false: there was no room for them */
    /* What the addresses of the stack are in. The worker's own may be those of a later death. */
    struct modules modules;
};

/* The first of each kind, and their logs. */
struct findings {
    struct worker_finding list[WORKER_FINDINGS_MAX];
    uint32_t n;
    uint64_t n_logs;
    struct log_entry logs[];
};

#define FINDINGS_BYTES (sizeof(struct findings) + WORKER_LOGS_MAX * sizeof(struct log_entry))

/* In memory shared with the parent. */
struct worker {
    struct engine *engine;
    struct explore_phase phases[EXPLORE_PHASES_MAX];
    uint32_t n_phases;
    uint16_t number;
    bool can_seek; /* trials are dealt; otherwise it is given pieces of a search (piece.h) */
    bool learns;
    pid_t pid; /* 0: none runs */

    /* Of a run in pieces: what the parent tells the worker, and is told. */
    struct piece *piece;      /* to run; NULL: none */
    struct piece *last_piece; /* that it was given before; for the parent */
    _Atomic uint32_t orders;  /* grows when the worker has something new to do */
    _Atomic bool is_called;   /* it is to wait for orders after its trial */
    _Atomic bool is_waiting;  /* for orders */

    uint64_t next;         /* the trial that is running, or runs next, ... */
    uint64_t to;           /* ... of those that were dealt to it, up to this one */
    _Atomic uint64_t told; /* trials below were told to strategies that learn */
    bool is_trial;         /* a trial is running */
    bool has_ended;
    bool is_spoilt;             /* a trial did what cannot be undone: another process must go on */
    uint32_t run;               /* of the present trial, from 1; 0: trials are run once */
    uint8_t surveyed;           /* of the present trial: as in struct board_entry */
    struct survey_notes *notes; /* of trials that are run again to be looked at */
    struct verify *verify;      /* the process's own; NULL: logs are not run a second time */
    struct err differs;         /* how the last trial was another one there; "": it was not */
    uint64_t differs_step;
    int rc; /* of what went wrong outside of trials, with a sentence */
    struct err why;

    enum sn_world mode;
    char world[128];
    bool has_left_phase;
    bool has_run;                 /* a trial, this process */
    unsigned char *counts_before; /* of coverage, when it was started; NULL: there are none */
    unsigned char *counts_after;  /* ... and when it ended */
    struct worker_finding late;   /* control was lost in one of the last trials */
    bool is_late;
    int left; /* by the last trial, if control was lost */

    struct findings *own;
    struct findings *found; /* where new ones go: its own, or those of its piece */
};

/* What a worker needs to know of its run. */
struct worker_job {
    const struct run_request *request;
    struct board *board;
    const struct counters *counters;
    pid_t parent;
    bool keep_going;
};

/* Runs trials until there are no more, in a process of its own; does not return. */
_Noreturn void worker_run(struct worker *w, const struct worker_job *job);

/* Keeps the present trial of the worker's engine as a finding, in the worker or in the parent of
 * one that died; status is what waitpid said then, and otherwise 0. Returns its kind. */
uint64_t worker_keep(struct worker *w, uint64_t trial, bool nondeterministic, bool has_died,
                     int status);

/* Puts the present trial of the worker's engine on the board. The kind is that of its failure, the
 * lesson what it has taught; NULL: nothing. */
void worker_post(struct worker *w, struct board *board, bool nondeterministic, uint64_t kind,
                 const struct lesson *lesson);

/* Fills in how the present trial of the worker's engine has ended. */
void worker_fill(const struct worker *w, struct board_entry *entry, bool nondeterministic,
                 uint64_t kind);

/* Whether a worker that has died, with this status, was killed by somebody else. */
bool worker_was_killed(const struct worker *w, int status);

/* The finding that a trial was kept as; NULL: it is one of a kind that is known. */
const struct worker_finding *findings_of(const struct findings *found, uint64_t trial);

/* What is said when control was lost, and when a trial did not go as the one before. The number of
 * the trial is for who knows it: a worker may know only which one of its piece it is. */
void worker_describe_loss(struct verdict *v, const struct err *why);
void worker_describe_divergence(struct verdict *v, const struct trial *t);

/* How memory is put back, in words. */
void worker_describe_world(const struct explore *e, char *text, size_t size);

#endif

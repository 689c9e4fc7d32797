/* lab_own.h - what a lab and its workers share. SPDX-License-Identifier: MIT */
#ifndef API_LAB_OWN_H
#define API_LAB_OWN_H

#include "api/engine.h"
#include "api/lab.h"
#include "api/output.h"
#include "api/record.h"

#include <stdatomic.h>

enum {
    LAB_WORKERS_MAX = 256,
    LAB_BATCH = 1024, /* jobs at a time */
    LAB_ENTRIES_DEFAULT = 1 << 20,
    LAB_PENDING_MAX = 1 << 16,
};

/* Room for plans of a batch, and for the logs of results. */
#define LAB_BENCH_BYTES (((size_t)4 << 30) >> MEM_SAVING_SHIFT)
#define LAB_SHELF_BYTES (((size_t)16 << 30) >> MEM_SAVING_SHIFT)

enum { LAB_STRATEGIES_MAX = 8 };

/* A strategy that is ready for a job. */
struct lab_strategy {
    const char *name;
    uint64_t seed;
    struct explore_phase phase;
};

/* How far a worker is with a job. */
enum hand_stage {
    HAND_IDLE = 0, /* it has none */
    HAND_BEGINS,
    HAND_TRIAL, /* the trial is running */
    HAND_AFTER, /* it is over, or running once more to be written down */
};

/* A worker process, in memory that it shares with its parent. */
struct hand {
    struct engine *engine;
    struct follow *follow;
    struct explore_phase plan; /* the phase of `follow` */
    struct happened *happened; /* NULL unless the lab has names */
    struct lab_strategy strategies[LAB_STRATEGIES_MAX];
    uint32_t n_strategies;
    pid_t pid;                             /* 0: none runs */
    _Atomic uint32_t stage;                /* enum hand_stage: may end at any moment, and be read */
    _Atomic uint32_t job;                  /* that it has */
    const struct constraints *constraints; /* that this process respects, ... */
    uint64_t version;                      /* ... as they were then */
    uint64_t run;          /* trials of this process that might be looked at thoroughly */
    bool is_spoilt;        /* it did what cannot be undone: another process must go on */
    bool is_mode_fork;     /* it looks after a process per trial itself */
    uint32_t idle_deaths;  /* in a row */
    _Atomic uint32_t idle; /* the order that it has done and waits for the next one of */
    int rc;                /* of what went wrong outside of trials, with a sentence */
    struct err why;
};

struct lab {
    struct lab_options options;
    struct engine *engine; /* of the parent */
    struct output output;
    struct record *record;
    uint64_t steps_max;
    struct hand *hands[LAB_WORKERS_MAX];
    uint32_t n_hands;
    pid_t parent;
    bool is_stopped;

    /* The batch. */
    const struct lab_wanted *wanted_by_caller; /* NULL: all jobs are to be run */
    struct lab_wanted wanted;
    struct lab_job jobs[LAB_BATCH];
    struct plan plans[LAB_BATCH]; /* on the bench */
    char strategies[LAB_BATCH][64];
    struct lab_result results[LAB_BATCH];
    _Atomic bool done[LAB_BATCH];
    uint32_t n_jobs;
    _Atomic uint32_t next;  /* the first job that nobody has taken */
    _Atomic uint32_t limit; /* jobs from here on are not wanted */
    _Atomic uint32_t orders;
    _Atomic uint32_t bell; /* for the parent */
    _Atomic uint64_t trials;
    _Atomic uint64_t shelf_used;
    char *bench;
    size_t bench_used;
    char *shelf;
};

/* Runs jobs until there is no parent any more; does not return. */
_Noreturn void lab_work(struct lab *lab, struct hand *hand);

/* Of a hand's job, in the hand or in the parent of one that died: writes down how its trial has
 * ended; or that nothing can be said of it, and why. */
void lab_settle(struct lab *lab, struct hand *hand);
void lab_refuse(struct lab *lab, const struct hand *hand, const char *why);

/* The job is done: the hand has none any more. */
void lab_finish(struct lab *lab, struct hand *hand);

#endif

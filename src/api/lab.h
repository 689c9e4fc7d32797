/* lab.h - experiments: many trials of one test, each as it is asked for, in processes of their own.
 *
 * A run searches; a lab is told what to try. It is given jobs, each of which says how a trial is
 * decided (a plan to follow, a strategy, one after the other), runs them in worker processes that
 * stay alive from batch to batch, and hands back how each has ended, in the order of the jobs,
 * whoever ran what. A crash of the code under test is a result like any other. The process that has
 * opened the lab runs no code under test. SPDX-License-Identifier: MIT
 */
#ifndef API_LAB_H
#define API_LAB_H

#include "api/run.h"
#include "api/signature.h"
#include "engine/happened.h"
#include "engine/require.h"
#include "strategy/follow.h"

struct lab;

enum { LAB_BLAMED_MAX = 16 };

struct lab_options {
    const struct run_request *request; /* the test, its limits, timers, leaks, fork; kept */
    uint32_t workers;                  /* processes, from 1 */
    uint64_t max_steps;                /* of a trial; 0: as the request says */
    uint32_t entries_max;              /* of each kind in a plan; 0: 1 << 20 */
    bool fork;                         /* a process per trial: for failures that end processes */
    /* Strategies that jobs will name; ends with NULL; NULL: none. Others can be named, too, but
     * cost more, and memory that they need looks as if the first trial had taken it. */
    const char *const *strategies;
    /* Where the names of operations are kept, if jobs have constraints or want events. */
    struct opnames *names;
    /* Asked some times a second while jobs are running; false: no more is wanted. May be NULL. */
    bool (*tick)(void *self);
    void *self;
};

/* One trial. Zeroed: the default schedule. */
struct lab_job {
    const struct plan *plan; /* NULL: none */
    uint64_t plan_steps;     /* that the plan decides, if there is a strategy as well */
    const char *strategy; /* as for --strategy, without a composition; NULL: the plan's defaults */
    /* Orders to respect, in memory that is shared and was reserved before the first job was run;
     * NULL: none. What is in them has changed if `version` has. */
    const struct constraints *constraints;
    uint64_t version;
    uint64_t seed;      /* of the strategy, ... */
    uint64_t trial;     /* ... and which of its trials */
    uint64_t fair_from; /* the step at which the fair strategy takes over; 0: it never does */
    uint64_t max_steps; /* of this trial; 0: as the lab has it */
    bool wants_log;     /* entries, steps and pending of the result */
    /* `happened` of the result. Names are added to one table: the job must be the only one of its
     * batch. A trial that ends its process has it only in a lab with a process per trial. */
    bool wants_events;
    /* The same when it fails in the way that lab_find looks for, and nothing otherwise. */
    bool wants_log_if_same;
};

enum lab_how {
    LAB_NOT_RUN = 0, /* no more was wanted, or lab_find has found an earlier one */
    LAB_PASSED,
    LAB_FAILED,
    LAB_STUCK,        /* nothing was left but what must wait: never a failure */
    LAB_UNCONTROLLED, /* control over it was lost, or it did not repeat itself */
};

/* A decision that was taken. */
struct lab_entry {
    bool is_draw;
    uint64_t id;    /* of the operation, or the key of the draw */
    uint64_t value; /* that was drawn */
    uint64_t place; /* of a draw, and its label: struct follow_drawn */
    uint64_t label;
    uint64_t task; /* the same */
    uint32_t who;
    uint32_t depth;
    uint32_t low;
};

struct lab_result {
    enum lab_how how;
    uint64_t steps;
    uint64_t decisions;
    uint64_t order;
    uint64_t steps_max; /* the limit that it had, ... */
    uint64_t fair_from; /* ... and since when it was fair; UINT64_MAX: never */
    uint64_t hot_since; /* liveness_hot_since */
    uint64_t mark;      /* as in struct trial */
    bool cut;
    bool has_died; /* its process */
    struct verdict verdict;
    struct signature signature;
    /* If they were asked for; all of it lasts until the next batch. */
    const struct lab_entry *entries; /* `decisions` of them */
    const struct follow_op *ops;     /* of each step; NULL: they were not asked for */
    const struct follow_op *pending; /* at the end */
    uint32_t n_pending;
    const struct happened *happened;
    /* Of a trial that is stuck: constraints that could not be had. */
    uint32_t blamed[LAB_BLAMED_MAX];
    uint32_t n_blamed;
    const struct follow_passed *passed; /* if the plan asked for it, too */
    uint32_t n_passed;
};

/* Saves the program's memory as it is now: the start of every trial. 0, or SN_E* with a sentence;
 * lab_close is due in any case. One lab, run or replay at a time. */
int lab_open(struct lab **out, const struct lab_options *options, struct err *why);
void lab_close(struct lab *lab);

/* Runs all jobs. 0, also if no more was wanted before the end; negative, with a sentence, if trials
 * cannot be run at all. */
int lab_run(struct lab *lab, const struct lab_job *jobs, uint32_t n, struct lab_result *results,
            struct err *why);

/* What lab_find looks for. */
struct lab_wanted {
    struct signature signature;
    bool any;               /* any failure will do */
    uint64_t steps_max;     /* no trial that is longer will do; 0: any length will */
    uint64_t decisions_max; /* the same */
    bool is_hot_before;     /* only if a monitor was hot before the fair end, and ever since */
};

/* Runs jobs until one fails in the wanted way, and finds the first of them: those after it may not
 * be run. Returns its number, n if there is none, or a negative number as lab_run. */
int64_t lab_find(struct lab *lab, const struct lab_wanted *wanted, const struct lab_job *jobs,
                 uint32_t n, struct lab_result *results, struct err *why);

/* Whether `tick` has said that no more is wanted, or somebody wants the program to stop; and goes
 * on nevertheless: `tick` is asked again. */
bool lab_is_stopped(const struct lab *lab);
void lab_resume(struct lab *lab);

/* Whether a result is what is wanted. */
bool lab_is_wanted(const struct lab_wanted *wanted, const struct lab_result *result);

/* Writes the trace of a trial, whose entries were asked for, by running it once more. Records in
 * `extra` come before its verdict. The header needs no limits. 0, or SN_E* with a sentence. */
int lab_record(struct lab *lab, const struct lab_result *result, const struct trace_header *header,
               const struct trace_record *extra, size_t n_extra, const char *path, struct err *why);

/* Trials run so far, those that were not needed included. */
uint64_t lab_trials(const struct lab *lab);

#endif

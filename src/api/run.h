/* run.h - one run of one test, and the replay of one trace, for sn_run, sn_replay and sn_main.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_RUN_H
#define API_RUN_H

#include "base/err.h"
#include "report/run_report.h"
#include "trace/trace.h"

#include <sennit/test.h>

enum { RUN_FAILURES_MAX = 32 };

/* What a run found, beyond its result. */
struct run_found {
    struct run_failure failures[RUN_FAILURES_MAX]; /* that differ, in order of their trials */
    uint32_t n_failures;
    bool is_interrupted;
    bool is_timed_out;
};

/* How far a run has come. */
struct run_progress {
    const struct sn_result *result; /* so far */
    uint64_t orders;
    uint64_t wanted; /* trials */
    double seconds;
    double seconds_left; /* of its time; below 0: it has no limit */
};

struct run_request {
    const struct sn_test *test;
    struct sn_options options;
    const char *suite;       /* name of the suite; NULL: the test's */
    const char *usual;       /* strategy, if nobody names one; NULL: as phases.h has it */
    const char *const *args; /* what the program must be given to be the same, for traces */
    size_t n_args;
    char **argv;             /* of the program, if it can be started again; NULL: it cannot */
    bool estimate;           /* find out how many schedules there are: needs workers */
    bool leaks;              /* judge what trials have allocated and lost */
    bool verify;             /* run each log a second time in a process of its own: needs argv */
    bool fork;               /* a process per trial, whatever the test asks for */
    bool step;               /* a person or a program takes the decisions */
    bool json;               /* ... and it is a program */
    uint32_t shrink_repeats; /* of a trial that has failed; 0: the test's */
    bool tolerant;           /* a replay in a program that has moved on */
    bool show_output;        /* on a replay, what the program prints goes where it would go */

    /* A run by workers. */
    uint32_t jobs;           /* how many; 0: there are none, trials run in this process */
    uint64_t shard;          /* of `shards`, from 0: which part of the trials is run here */
    uint64_t shards;         /* 0: all */
    double timeout_s;        /* no trial is begun after this; 0: no limit */
    uint32_t hang_s;         /* seconds of the processor, or of waiting, of a step; 0: 10 */
    uint64_t memory_mb;      /* that a trial may allocate; 0: 1024 */
    bool resume;             /* go on where the last run with this outdir ended */
    const char *checkpoint;  /* ... or where the one with this file did; NULL: it has no name */
    uint64_t save_s;         /* seconds from one writing of the file to the next; 0: 10 */
    struct run_found *found; /* may be NULL */
    struct run_coverage *coverage; /* may be NULL */
    /* Called some times a second, with how far it has come and where the terminal is. May be NULL.
     */
    void (*progress)(void *self, const struct run_progress *progress, int terminal);
    void *progress_self;
};

int run_test(const struct run_request *request, struct sn_result *result);

/* Where a run writes what it has covered. */
void run_name_coverage(const struct run_request *request, char *path, size_t size);

/* What went on during a replay, for people. */
struct replay_report {
    bool has_diverged;
    char divergence[1024];
    char expected[512]; /* the verdict in the trace, if another one came out */
    bool has_drifted;   /* of a tolerant replay: not every decision was as in the trace */
    char drift[1024];   /* of a tolerant replay: what was followed, skipped and invented */
    uint32_t run;       /* of what is not under control: the one that is reported, ... */
    uint32_t runs;      /* ... of so many at most; 1: it is run once */
};

int run_replay(const struct run_request *request, const struct trace *trace,
               struct replay_report *report, struct sn_result *result);

#endif

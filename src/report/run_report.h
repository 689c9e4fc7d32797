/* run_report.h - what happens in a run of a test program, told to everyone who reports it.
 *
 * The runner says what happens; how that is printed or written is up to the reporters: text for
 * people, TAP, JUnit, annotations of GitHub, a summary. Nothing here runs during a trial, and
 * nothing is kept in memory that trials change. SPDX-License-Identifier: MIT
 */
#ifndef REPORT_RUN_REPORT_H
#define REPORT_RUN_REPORT_H

#include "base/err.h"
#include "base/text.h"
#include "report/run_coverage.h"

#include <sennit/sometimes.h>
#include <sennit/test.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUN_TRIALS_MAX = 60 }; /* of each way to fail, whose numbers are kept */

/* One way in which trials of a test failed: the first of them, and how many there were. */
struct run_failure {
    uint64_t trial;
    uint64_t steps;
    uint64_t count;
    enum sn_verdict verdict;
    bool nondeterministic;
    char oracle[16];  /* "" if none has judged */
    char text[512];   /* one line: ORACLE: PLACE: MESSAGE; the place may be missing */
    char trace[512];  /* path; "" if there is none */
    char stack[2048]; /* a line for each frame; "" if unknown */
    uint64_t trials[RUN_TRIALS_MAX]; /* the first that failed so */
    uint32_t n_trials;
    uint64_t shortest_trial; /* of those that failed so: the one with the fewest steps, ... */
    uint64_t shortest_steps; /* ... and how many these are */
    char repeats[128];       /* which runs of it failed; "" if it was run once */
    char drawn[1024];       /* values of a trial without steps, a line each; "" if there are none */
    char shrunk[512];       /* what was left of it; "" if it was not shrunk */
    char shrunk_trace[512]; /* the path of that; "" if there is none */
    uint64_t shrunk_runs;   /* trials that it took */
    bool is_tolerant;       /* the trace is of another program and was followed with tolerance */
};

/* What is going to be run. */
struct run_plan {
    const char *suite;
    const char *program;     /* as it was called */
    const char *const *args; /* what it must be given to be the same program */
    size_t n_args;
    const char *build;
    struct sn_options options; /* with strategy, iterations, seed and outdir filled in */
    bool fork;                 /* --isolate=fork */
    uint64_t shard;            /* of `shards`, from 1; 0: all trials are run here */
    uint64_t shards;
    size_t n_tests;
    bool has_sites; /* the program has places that must be met: one more test, in some formats */
    bool is_strict;
    const char *why_none; /* a clause, if there is no test to run */
};

/* How a test went. */
struct run_outcome {
    const struct sn_test *test;
    int rc;                         /* of the run: 0, or SN_E* with a sentence in result->failure */
    const struct sn_result *result; /* NULL: the test was not begun */
    const struct run_failure *failures; /* distinct, in order of their trials */
    size_t n_failures;
    const struct run_coverage *coverage; /* NULL: nothing is known of it */
    char coverage_file[512];             /* where that may have been written; "": nowhere */
    double seconds;
    bool is_timed_out;   /* --timeout ended it */
    bool is_interrupted; /* somebody stopped the run in this test or before it */
    bool judges_limits;  /* trials that reach a limit are judged: they are not just cut */
};

/* A place that must be met in at least one trial (sennit/sometimes.h), and what came of it. */
struct run_site {
    const struct sn_site *site;
    bool is_reached;
    bool is_held;
    const char *test; /* in which it first held, ... */
    uint64_t trial;   /* ... in this trial */
};

/* All of them, after the last test. */
struct run_sites {
    const struct run_site *list;
    size_t n;
    size_t n_unmet;
    bool is_strict; /* that is a bug */
};

enum run_status {
    RUN_PASSED = 0,
    RUN_FAILED,
    RUN_UNCONTROLLED,
    RUN_NONDETERMINISTIC,
    RUN_NOTHING,     /* no step was taken, or no trial was as required */
    RUN_ERROR,       /* the run did not take place, or what it found got lost */
    RUN_INTERRUPTED, /* nothing was found until then */
    RUN_NOT_RUN,
};

enum run_status run_status_of(const struct run_outcome *outcome);

/* Of one that is RUN_NOTHING and has run trials: what became of all of them. */
const char *run_why_nothing(const struct run_outcome *outcome);

/* A word for it, as in the summary: "passed", "not run". */
const char *run_status_name(enum run_status status);

/* ---- Reporters ------------------------------------------------------------------------------ */

/* What a reporter does on each event; NULL: nothing. All but done return 0 or a negative SN_E* with
 * a sentence. */
struct run_reporter_kind {
    int (*begin)(void *self, const struct run_plan *plan, struct err *why);
    int (*test_end)(void *self, const struct run_outcome *outcome, struct err *why);
    /* Only if the program has places, and before the end. */
    int (*sites)(void *self, const struct run_sites *sites, struct err *why);
    int (*end)(void *self, bool is_interrupted, struct err *why);
    void (*done)(void *self); /* gives back what begin took, whatever came of it */
};

struct run_reporter {
    const struct run_reporter_kind *kind;
    void *self;
};

enum { RUN_REPORTERS_MAX = 8 };

/* Zeroed is empty. */
struct run_report {
    struct run_reporter reporters[RUN_REPORTERS_MAX];
    size_t n;
};

void run_report_add(struct run_report *report, struct run_reporter reporter);

/* Tell the reporters, in the order in which they were added. 0, or the first error: after it nobody
 * else is told that the run begins, but all are told of tests and of the end. run_report_done
 * comes last in any case. The plan must last until then. */
int run_report_begin(struct run_report *report, const struct run_plan *plan, struct err *why);
int run_report_test(struct run_report *report, const struct run_outcome *outcome, struct err *why);
int run_report_sites(struct run_report *report, const struct run_sites *sites, struct err *why);
int run_report_end(struct run_report *report, bool is_interrupted, struct err *why);
void run_report_done(struct run_report *report);

/* ---- What reporters share ------------------------------------------------------------------- */

/* The text without its oracle: PLACE: MESSAGE. */
const char *run_failure_message(const struct run_failure *failure);

/* The place, if the text has one: the name of the file (n bytes, no zero byte behind them) and the
 * line. False: it has none. */
bool run_failure_place(const struct run_failure *failure, const char **file, size_t *n,
                       uint64_t *line);

/* "FAILED", "NOT UNDER CONTROL" or "NOT DETERMINISTIC". */
const char *run_failure_verdict(const struct run_failure *failure);

/* What failures of the same kind have in common: ORACLE at PLACE, or ORACLE: MESSAGE with # instead
 * of numbers. */
void run_put_signature(struct sn_text *out, const struct run_failure *failure);
/* The path of the trace to look at: of the shrunk trial, if there is one; "" if there is none. */
const char *run_failure_trace(const struct run_failure *failure);

/* A command that shows the failure again, for any POSIX shell: the replay of its trace, or, if it
 * has none, the search up to its trial. */
void run_put_repro(struct sn_text *out, const struct run_plan *plan, const struct sn_test *test,
                   const struct run_failure *failure);

/* What was covered, one or more lines that begin with `indent`. */
void run_put_covered(struct sn_text *out, const char *indent, const struct run_plan *plan,
                     const struct run_outcome *outcome, bool is_verbose);

/* What a place says, and what came of it: `sn_sometimes "name" (file:line: condition): ...`. */
void run_put_site(struct sn_text *out, const struct run_site *site);

/* One sentence: how many of all were not met. */
void run_put_unmet(struct sn_text *out, const struct run_sites *sites);

/* Seconds with three digits behind a point, whatever the locale is. */
void run_put_seconds(struct sn_text *out, double seconds);

#endif

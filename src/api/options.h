/* options.h - what a test program was asked for: on its command line, and by its environment.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_OPTIONS_H
#define API_OPTIONS_H

#include "api/own_options.h"
#include "base/err.h"
#include "base/text.h"

#include <sennit/test.h>
#include <stdbool.h>

enum options_action {
    OPTIONS_RUN = 0,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_LIST,
    OPTIONS_BUGS,
    OPTIONS_REPLAY,
    OPTIONS_EXPLAIN,
    OPTIONS_SHRINK,
    OPTIONS_COMPARE,
};

enum options_color {
    OPTIONS_COLOR_AUTO = 0,
    OPTIONS_COLOR_ALWAYS,
    OPTIONS_COLOR_NEVER,
};

enum {
    OPTIONS_BUGS_MAX = 32,
    OPTIONS_REQUIRE_MAX = 64,
    OPTIONS_STRATEGIES_MAX = 32,
    OPTIONS_JOBS_MAX = 256,
    OPTIONS_REPEATS_MAX = 1000,
};

struct options {
    enum options_action action;
    struct sn_options run;
    const char *filter;      /* NULL: all tests */
    const char *replay;      /* path of a trace */
    const char *shrink;      /* the same, of one whose trial is to be made smaller */
    const char *explain;     /* the same, of one whose failure is to be explained */
    const char *shrunk;      /* where that is written; NULL: beside it */
    uint64_t repeats;        /* of each trial or, with --shrink, candidate; 0: as the test says */
    uint64_t shrink_repeats; /* of each candidate in a run; 0: as the test says */
    bool any_failure;        /* what is shrunk may fail in another way */
    bool no_shrink;          /* leave failing trials as they are found */
    bool no_report;          /* write no page to look at */
    const char *bugs[OPTIONS_BUGS_MAX];
    int n_bugs;
    const char *require[OPTIONS_REQUIRE_MAX + 1]; /* run.require, if there is any */
    int n_require;
    const char *strategies[OPTIONS_STRATEGIES_MAX]; /* to be compared: names, or A,B,C */
    int n_strategies;
    const char *picture; /* of the comparison: path; NULL: none */
    uint64_t timeout_s;  /* no trial of a test begins after so many seconds; 0: no limit */
    uint64_t hang_s;     /* that a step may take; 0: as run_request says */
    uint64_t memory_mb;  /* that a trial may allocate; 0: as run_request says */
    uint64_t jobs;       /* worker processes, at least 1 */
    uint64_t shard;      /* which part of the trials this process runs, from 1 */
    uint64_t shards;     /* 1: there is only this process */
    const char *corpus;  /* directory of traces that failed before; NULL: none */
    const char *xml;     /* path of the JUnit file to write; NULL: none */
    enum options_color color;
    bool tap;
    bool resume;
    const char *checkpoint; /* the file to go on from, and to write; NULL: none */
    uint64_t save_s;        /* how often it is written; 0: as run_request says */
    bool verify_determinism;
    bool estimate;
    bool leaks;
    bool strict;   /* places that no trial has met are a bug */
    bool tolerant; /* of a replay */
    bool fork;
    bool step;
    bool json;
    int verbosity; /* -1 quiet, 0, 1 */
    struct own_options own;
};

/* Reads the variables SENNIT_*, then the command line, which wins. `own` is the table of the
 * program's own options; NULL: it has none. 0, or SN_EINVAL with a sentence that names the option
 * or the variable. */
int options_parse(struct options *out, const struct sn_option *own, int argc, char **argv,
                  struct err *why);

/* What --help says after its first line. */
void options_print_help(struct sn_text *out);

#endif

/* run.h - one run of one test, and the replay of one trace, for sn_run, sn_replay and sn_main.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_RUN_H
#define API_RUN_H

#include "base/err.h"
#include "trace/trace.h"

#include <sennit/test.h>

struct run_request {
    const struct sn_test *test;
    struct sn_options options;
    const char *suite;       /* name of the suite; NULL: the test's */
    const char *const *args; /* what the program must be given to be the same, for traces */
    size_t n_args;
    bool fork;        /* a process per trial, whatever the test asks for */
    bool step;        /* a person or a program takes the decisions */
    bool json;        /* ... and it is a program */
    bool show_output; /* on a replay, what the program prints goes where it would go */
};

int run_test(const struct run_request *request, struct sn_result *result);

/* What went on during a replay, for people. */
struct replay_report {
    bool has_diverged;
    char divergence[1024];
    char expected[512]; /* the verdict in the trace, if another one came out */
};

int run_replay(const struct run_request *request, const struct trace *trace,
               struct replay_report *report, struct sn_result *result);

#endif

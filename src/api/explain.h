/* explain.h - why the trial of a trace failed. SPDX-License-Identifier: MIT */
#ifndef API_EXPLAIN_H
#define API_EXPLAIN_H

#include "api/failures.h"
#include "explain/explanation.h"

/* How far the work is. */
struct explain_progress {
    enum explanation_stage stage;
    uint64_t trials;
    double seconds_left; /* of the budget; below 0: it has none */
};

struct explain_options {
    uint64_t executions_max; /* trials at most; 0: as many as there is time for */
    double seconds_max;      /* 0: a minute, unless executions_max is given */
    uint64_t seed;
    /* Where the trace is. Beside it are put the trace of the trial that is explained, of the
     * nearest one that passes, and those of trials with further causes. NULL: nowhere. */
    const char *path;
    const struct failures *failures; /* of the run that the trace is of; NULL: they are not known */
    /* Called when another part of the work begins, and some times a second. May be NULL. */
    void (*progress)(void *self, const struct explain_progress *progress);
    void *self;
};

/* Explains the trial of a trace, with request->jobs processes, as far as the budget lasts. 0, or a
 * negative SN_E* with a sentence: SN_EINVAL if the trial does not fail any more as the trace says.
 * *out, which is large, is owned by the caller: explanation_free. */
int explain_trace(const struct run_request *request, const struct trace *trace,
                  const struct explain_options *options, struct explanation **out, struct err *why);

void explanation_free(struct explanation *e);

#endif

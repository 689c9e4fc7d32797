/* shrink.h - the smallest trial that still fails in the same way.
 *
 * The trial of a trace is made smaller by leaving out what it does not need: first values that were
 * drawn (which become 0: no input, no fault), then operations, then rounds of loops, then what is
 * left of the values is lowered; again and again until nothing can be left out. Long trials are
 * decided anew in between, other failing trials are shrunk, and several things are left out at a
 * time by chance. A candidate is followed with tolerance (strategy/follow.h) and counts if it fails
 * with the same signature, at its fair end with several of those, and is not longer. Then what
 * is left is said in other words: as few exceptions to the default schedule, "hold B until A". In
 * whatever order candidates are tried, and by how many processes, the result is the same.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_SHRINK_H
#define API_SHRINK_H

#include "api/lab.h"

struct shrink_progress {
    uint64_t steps_before;
    uint64_t steps;
    uint64_t runs;
};

struct shrink_options {
    const struct run_request *request;
    uint32_t workers;
    double seconds;   /* the budget; 0: no limit */
    uint64_t runs;    /* the same in trials; 0: no limit */
    uint32_t repeats; /* of each candidate, of which one must fail; 0 or 1: it is run once */
    bool any_failure; /* the signature need not be kept */
    uint64_t seed;    /* of what is decided anew; 0: 1 */
    /* A failing trial that may be shorter than that of the trace: what the request's strategy does
     * in this trial. */
    bool has_other;
    uint64_t other_trial;
    /* Called some times a second. May be NULL. */
    void (*progress)(void *self, const struct shrink_progress *progress);
    void *progress_self;
};

enum shrink_how {
    SHRINK_DONE = 0,
    SHRINK_STOPPED,     /* the budget was used up: what is written could be smaller */
    SHRINK_NOT_FAILING, /* the trial does not fail any more: nothing is written */
    SHRINK_REFUSED,     /* it cannot be shrunk: nothing is written */
};

struct shrink_size {
    uint64_t steps;
    uint64_t draws; /* that are not 0 */
};

struct shrink_report {
    enum shrink_how how;
    bool is_written; /* there is a trace of what is left */
    struct shrink_size before;
    struct shrink_size after;
    uint64_t fair_steps; /* of these steps, at the end, are decided by the fair strategy */
    bool has_exceptions; /* false: they could not be found */
    uint32_t exceptions; /* to the default schedule */
    uint32_t failed;     /* runs of the smallest trial, ... */
    uint32_t repeats;    /* ... of so many; 0: it is under control */
    uint64_t runs;       /* trials, as if one by one */
    bool is_other;       /* it fails in another way than the trace: any_failure */
    char text[512];      /* all this in one line, or why it was not shrunk */
    struct verdict verdict;
};

/* Shrinks the trial of a trace, which has failed, and writes the trace of the result to a file. The
 * result has failed in a fresh process before the file gets its name. 0, or SN_E* with a sentence.
 */
int shrink_trace(const struct shrink_options *options, const struct trace *trace, const char *path,
                 struct shrink_report *report, struct err *why);

#endif

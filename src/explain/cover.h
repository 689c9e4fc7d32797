/* cover.h - how many of the failing trials found independently have the same cause, and which
 * causes the others have. SPDX-License-Identifier: MIT
 */
#ifndef EXPLAIN_COVER_H
#define EXPLAIN_COVER_H

#include "explain/ask.h"

enum {
    COVER_CAUSES_MAX = 5,
    COVER_RUNS_MAX = 60,
};

struct cover {
    void *self;
    uint32_t n_runs; /* failing trials, at most COVER_RUNS_MAX */
    /* Explains a trial as the cause of this number. 0 if that was done, EXPLAIN_NONE if it has no
     * short explanation, EXPLAIN_OVER, or a negative SN_E*. */
    int (*explain)(void *self, uint32_t run, uint32_t cause);
    /* Whether a trial happens to be as a cause asks. */
    bool (*holds)(void *self, uint32_t run, uint32_t cause);

    uint32_t n_causes; /* those from before, which are not explained again, and new ones */
    uint32_t explained[COVER_CAUSES_MAX]; /* trials that each cause holds in */
    uint32_t covered;                     /* trials that some cause holds in */
    uint32_t attempts;                    /* trials that were explained, or could not be */
};

enum { EXPLAIN_NONE = 2 };

/* Explains trials that no cause holds in until there are none, or causes enough. Of those that
 * cannot be explained as many are tried as there may be causes. */
int cover_run(struct cover *c);

#endif

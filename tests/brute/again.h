/* again.h - runs the trial of a log again and makes a list of its events.
 * SPDX-License-Identifier: MIT
 */
#ifndef BRUTE_AGAIN_H
#define BRUTE_AGAIN_H

#include "engine/happened.h"

/* A decision of a log. */
struct again_decision {
    uint64_t value;
    bool is_draw;
};

struct again {
    struct opnames *names;
    struct happened *happened;
    struct explore *explore;
    struct trial *t;
};

/* Opens a test. */
void again_open(struct again *a, const struct sn_test *test);
void again_close(struct again *a);

/* Runs a log. False: the trial went another way. */
bool again_run(struct again *a, const struct again_decision *log, uint64_t n);

#endif

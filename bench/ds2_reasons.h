/* ds2_reasons.h - why our figures differ from the published ones. SPDX-License-Identifier: MIT */
#ifndef BENCH_DS2_REASONS_H
#define BENCH_DS2_REASONS_H

#include "ds2_measure.h"

/* A figure of ours. */
struct ds2_figure {
    unsigned table;
    const struct ds2_strategy *strategy;
    enum ds2_metric metric;
    bool is_lowered; /* the search was ended by a limit lower than DS2's */
};

/* Whether a figure of ours is another one than the published one. Times always are, and are not
 * compared. */
bool ds2_differs(enum ds2_metric metric, double published, double ours);

/* The number of the reason why it differs; -1: it is not known. */
int ds2_reason_of(const struct ds2_figure *place);

/* That reason in words. */
const char *ds2_reason_text(int reason);

#endif

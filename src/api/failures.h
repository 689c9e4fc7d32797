/* failures.h - which trials of a run failed in one way, kept beside the trace of the first: whoever
 * explains that one can see how many of the others have the same cause.
 *
 * Strategy, seed and number are all that is needed to run a trial again, unless the strategy
 * learns. SPDX-License-Identifier: MIT
 */
#ifndef API_FAILURES_H
#define API_FAILURES_H

#include "api/run.h"

struct failures {
    uint64_t count; /* of the run */
    uint64_t trials[RUN_TRIALS_MAX];
    uint32_t n; /* the first ones, of which the numbers are known */
};

/* Writes NAME.failures.json beside NAME.trace for each failure that came more than once, and takes
 * away one of an earlier run for each that did not. 0, or SN_E* with a sentence. */
int failures_write(const struct run_request *request, const struct run_found *found,
                   struct err *why);

/* What was written beside a trace, which may be the shrunk one, by the run that it is of. Anybody
 * may have written the file. False: there is none that belongs to it. */
bool failures_read(struct failures *out, const char *path, const struct trace *trace);

#endif

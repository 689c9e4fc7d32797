/* shrinking.h - shrinking as a test program does it: on its own after a failure, or asked to.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_SHRINKING_H
#define API_SHRINKING_H

#include "api/options.h"
#include "api/reports.h"
#include "api/shrink.h"

/* Shrinks each failure of a run that has a trace, and says in the failure what came of it. */
void shrinking_run(const struct options *options, const struct run_request *request,
                   struct run_found *found, struct reports *reports);

/* Shrinks the trial of a trace. Returns an exit code; all is said. */
int shrinking_trace(const struct options *options, const struct run_request *request,
                    const struct trace *trace, struct reports *reports, struct sn_text *out,
                    struct sn_text *complaints);

#endif

/* explain_command.h - explaining as a test program does it when it is asked to.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_EXPLAIN_COMMAND_H
#define API_EXPLAIN_COMMAND_H

#include "api/options.h"
#include "api/reports.h"
#include "api/run.h"
#include "trace/trace.h"

/* Explains the trial of a trace, prints why it failed, and writes that and a report beside the
 * trace. Returns an exit code; all is said. */
int explain_command(const struct options *options, const struct run_request *request,
                    const struct trace *trace, struct reports *reports, struct sn_text *out,
                    struct sn_text *complaints);

#endif

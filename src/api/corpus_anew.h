/* corpus_anew.h - a trace of a corpus in a process of the program that is started anew.
 *
 * Options of the program's own take effect once, before the first trial. A trace that was written
 * with others than this run has needs a process that begins with those. It replays the trace as for
 * everybody, and leaves in memory that both share what came of it. SPDX-License-Identifier: MIT
 */
#ifndef API_CORPUS_ANEW_H
#define API_CORPUS_ANEW_H

#include "api/run.h"
#include "base/err.h"
#include "trace/trace.h"

/* Whether a trace was written with other options of the program's own than the run has: not bugs,
 * nor --timers. */
bool corpus_anew_is_needed(const struct trace_header *header, const struct run_request *request);

/* Whether the same bugs are switched on. */
bool corpus_anew_has_same_bugs(const struct trace_header *header,
                               const struct run_request *request);

/* Replays the trace in a new process, with the bugs of the run, and strictly unless the request is
 * tolerant. 0; or SN_ESYSTEM; or SN_EINVAL if the program does not take these options any more. */
int corpus_anew_replay(const struct run_request *request, const char *path,
                       struct replay_report *report, struct sn_result *result, struct err *why);

/* In the new process: tells what came of the replay. False: this is no such process. */
bool corpus_anew_answer(int rc, const struct replay_report *report, const struct sn_result *result);

#endif

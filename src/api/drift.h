/* drift.h - follows the decisions of a trace in a program that has moved on since.
 *
 * An operation is found again by its id, which comes from its cause and its number among the
 * children of that. Where something was added or removed before it the number is another one, so
 * next comes the name: kind, sender, receiver and event, counted in the order in which they ran.
 * What was found by its name gets the id that the trace has for it; so everything that follows from
 * it has its old id again, and one change does not derail the rest. Of the listed operations that
 * can run, the first runs; if none can, what was announced first does. A draw is found by its key,
 * or else by the machine whose step it is and its label. SPDX-License-Identifier: MIT
 */
#ifndef API_DRIFT_H
#define API_DRIFT_H

#include "api/names.h"
#include "trace/trace.h"

struct drift;

/* Keeps both pointers; names are those of the machines of the running trial. Lies in memory that
 * forked children share. 0, or SN_ENOMEM. */
int drift_new(struct drift **out, const struct trace *trace, const struct names *names,
              struct err *why);
void drift_free(struct drift *d);

/* For explore_repeat; owned by d. */
const struct guide *drift_guide(const struct drift *d);

/* A machine was created and has its name: it gets the id that it has in the trace. */
void drift_create(struct drift *d, struct trial *t, uint32_t task);

/* One sentence, once the trial is over: how many decisions were followed, skipped, invented, and
 * the first difference. True: there was any. */
bool drift_describe(const struct drift *d, char *text, size_t size);

#endif

/* covered.h - what the trials of a run have covered: for its result, its reporters and a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_COVERED_H
#define API_COVERED_H

#include "api/run_own.h"
#include "api/workers.h"

/* Whether trials are drawn independently of each other: strategies can be asked for any of them. */
bool covered_is_sampled(const struct explore_phase *phases, uint32_t n_phases);

/* The run is over: fills in what its result and whoever has asked for more are to know. */
void covered_tell(struct run *run);

/* The workers are done: fills in what they have seen. */
void covered_workers(struct run *run, const struct workers *ws);

/* Writes what is kept beside traces and the summary, if there is a place for it. 0, or SN_E*. */
int covered_write(struct run *run);

/* Whether the program has places that must be met. */
bool covered_has_sites(void);

/* What all runs of this process have shown of them, for `tell`, and whether nothing is amiss: *ok
 * is false if one was not met and that is a bug. Returns what `tell` returned; 0 if there are none.
 */
int covered_tell_sites(bool is_strict, bool *ok,
                       int (*tell)(void *self, const struct run_sites *sites, struct err *why),
                       void *self, struct err *why);

#endif

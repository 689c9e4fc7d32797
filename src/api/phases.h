/* phases.h - which strategies decide in a run, and how its options are filled in.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_PHASES_H
#define API_PHASES_H

#include "api/run.h"
#include "engine/explore.h"
#include "strategy/strategies.h"

uint64_t request_seed(const struct run_request *request);

/* What a test is run with if nobody says otherwise: what shows bugs soonest, also those that had no
 * part in the choice (docs/results.md). */
#define PHASES_USUAL "portfolio:random+ca/pos+ca"

const char *request_strategy(const struct run_request *request);
uint64_t request_steps_max(const struct run_request *request);
uint64_t request_iterations(const struct run_request *request);
/* How often the state of a systematic search is kept anew, in seconds. */
uint64_t request_save_s(const struct run_request *request);

/* Sets how much memory and time a process that runs this trial may use. */
void request_set_limits(const struct run_request *request, struct trial *t);

/* Opens the strategies of a run, each with a state of its own. 0, or SN_E* with a sentence;
 * strategies_close is due in any case. */
int phases_open(const struct run_request *request, const struct strategies *all,
                struct explore_phase *phases, uint32_t *n_phases, struct err *why);

#endif

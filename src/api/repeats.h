/* repeats.h - trials of what is not under control, run several times with the same decisions.
 *
 * A system that answers in its own time may fail once and pass the next time although nothing was
 * decided differently. Such a test says so (repeats of struct sn_test); its trials have failed if
 * one of their runs has, and nobody takes a difference between runs for nondeterminism of the
 * test, as long as the decisions are the same. SPDX-License-Identifier: MIT
 */
#ifndef API_REPEATS_H
#define API_REPEATS_H

#include "api/run.h"
#include "engine/explore.h"

/* How often each trial is run, at most; 1: it repeats itself. */
uint32_t request_repeats(const struct run_request *request);

/* The same of a trial that has failed: while it is recorded, shrunk or replayed. */
uint32_t request_shrink_repeats(const struct run_request *request);

/* Whether trials may go another way with the same decisions: the test says so, or whoever runs it,
 * also if each is run only once. */
bool request_is_uncontrolled(const struct run_request *request);

/* Runs the trial that has just been run, and has passed, again until it fails, up to so many runs
 * in all. The last one is the engine's present trial then. Returns which run that is, from 1. */
uint32_t repeats_run(struct explore *e, uint32_t runs);

#endif

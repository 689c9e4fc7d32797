/* verify.h - each trial's log a second time, in a new process where everything that a program must
 * not depend on is different: addresses, what memory holds that was never written, the real clock.
 *
 * The other process is the program itself, started anew; it lives as long as the run and is fed
 * through a board (witness.h) in shared memory. When a trial differs there, its likely cause is
 * found by experiment: processes that are alike in everything, and some that differ in one thing
 * alone. SPDX-License-Identifier: MIT
 */
#ifndef API_VERIFY_H
#define API_VERIFY_H

#include "api/run.h"
#include "engine/explore.h"

struct verify;

/* Starts the other process: before the run saves memory. 0, or a negative SN_E* with a sentence. */
int verify_open(struct verify **out, const struct run_request *request, struct err *why);
void verify_close(struct verify *v);

/* Runs the log of the trial that has just ended here again and there. 0: it was the same each time;
 * 1: it was not, and *why says where, how and why. *step receives the step. */
int verify_trial(struct verify *v, struct explore *e, uint64_t *step, struct err *why);

/* In the program that verify_open has started: serves until it is wanted no more. False: this is
 * not such a process. */
bool verifier_serve(const struct sn_suite *suite);

#endif

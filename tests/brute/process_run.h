/* process_run.h - a small program of processes, carried out by processes of the library.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_BRUTE_PROCESS_RUN_H
#define TESTS_BRUTE_PROCESS_RUN_H

#include "process_model.h"

/* What is being run. Set before a run and not changed by it. */
extern struct program program;

/* The test's run function. */
void run_program(void);

/* What a process saw in the trial that has just ended: LOG_SIZE characters. */
const char *seen_by(uint32_t self);

#endif

/* explore_own.h - what the files of a run of trials share. SPDX-License-Identifier: MIT */
#ifndef ENGINE_EXPLORE_OWN_H
#define ENGINE_EXPLORE_OWN_H

#include "engine/explore.h"

/* A trial begins: forgets how the one before went. */
void explore_start(struct trial *t);

/* ... and nothing of what it did is kept. */
void explore_from_nothing(struct trial *t);

/* Does what comes before the first step and was not restored: the test's set-up, and what follows
 * it in each trial. */
void explore_prepare(struct trial *t);

/* Runs a trial in a child process; everything it does to shared memory stays. False: the process
 * died, and the trial is judged for it. */
bool explore_in_child(struct explore *e, void (*run)(struct explore *e, void *argument),
                      void *argument);

#endif

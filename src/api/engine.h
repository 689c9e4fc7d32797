/* engine.h - the engine of the process: a trial with its substrates, and the known strategies.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_ENGINE_H
#define API_ENGINE_H

#include "engine/trial.h"
#include "strategy/strategies.h"

#include <signal.h>
#include <sys/types.h>

enum { ENGINE_INTERRUPTS = 2 };

struct engine {
    struct trial *t;
    struct strategies strategies;
    bool is_running;
    struct crash *crash; /* of the running test; NULL: none */
    bool has_exit_hook;
    struct frozen_clock *clock;   /* of a process that verifies; NULL: this is none */
    volatile bool is_interrupted; /* somebody wants the run to stop */
    struct sigaction interrupts[ENGINE_INTERRUPTS]; /* what was done on signals before */
};

/* Another one for a process that is to be forked: with the same strategies, and memory for trials
 * at the same addresses, which are the process's own. 0, or SN_ENOMEM. */
int engine_clone(struct engine **out, const struct engine *like, struct err *why);
void engine_free(struct engine *engine);

/* Begins a process that was forked to run trials with a clone, and ends with its parent. */
void engine_enter(struct engine *engine, pid_t parent);

/* Makes it at the first call. NULL with a sentence if there is no memory. */
struct engine *engine_get(struct err *why);

#endif

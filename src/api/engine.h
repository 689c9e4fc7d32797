/* engine.h - the one engine of the process: a trial with its substrates, and the known strategies.
 * SPDX-License-Identifier: MIT
 */
#ifndef API_ENGINE_H
#define API_ENGINE_H

#include "engine/trial.h"
#include "strategy/strategies.h"

struct engine {
    struct trial *t;
    struct strategies strategies;
    bool is_running;
    struct crash *crash; /* of the running test; NULL: none */
    bool has_exit_hook;
};

/* Makes it at the first call. NULL with a sentence if there is no memory. */
struct engine *engine_get(struct err *why);

#endif

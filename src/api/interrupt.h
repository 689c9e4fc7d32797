/* interrupt.h - somebody wants the run to stop: SIGINT or SIGTERM. SPDX-License-Identifier: MIT */
#ifndef API_INTERRUPT_H
#define API_INTERRUPT_H

#include "api/engine.h"

/* From now on, until interrupt_unwatch, these signals are noted instead of ending the process. */
void interrupt_watch(struct engine *engine);
void interrupt_unwatch(struct engine *engine);

/* Whether one has come, now or in an earlier watch. */
bool interrupt_has_come(const struct engine *engine);

#endif

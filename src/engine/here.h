/* here.h - from nowhere to the running trial: the one pointer that the library keeps.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_HERE_H
#define ENGINE_HERE_H

#include "engine/trial.h"
#include "engine/world/root.h"

#include <pthread.h>

/* NULL before the first run. */
static inline struct trial *trial_here(void)
{
    return root_engine();
}

/* The trial whose code this thread is running; NULL: none. Other threads, and the parent of a
 * process that runs a trial, are not in it. */
static inline struct trial *trial_of_thread(void)
{
    uintptr_t thread = atomic_load_explicit(&world_root.trial_thread, memory_order_relaxed);

    return thread != 0 && thread == (uintptr_t)pthread_self() ? trial_here() : NULL;
}

#endif
